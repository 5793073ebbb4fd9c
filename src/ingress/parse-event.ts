import { Logger } from '@nestjs/common';
import type { Parsed } from '../plugin/index.js';
import type { EventSource } from './event-source.js';

/** What it takes to read an event of a connection. */
export type Parsing = Pick<EventSource, 'connection' | 'subjects' | 'provider'>;

const log = new Logger('Events');

/** An authentic event is kept even where its parser is broken: the provider would only send it again, to the same end. */
export function parseEvent({ connection, subjects, provider }: Parsing, event: { eventKey: string; payload: unknown }): Parsed {
  const { eventKey, payload } = event;
  try {
    return subjects.parse({ connection, eventKey, payload });
  } catch (error) {
    log.error(
      `the parser of ${provider} threw for ${connection.org}/${connection.name}, event ${eventKey}`,
      error instanceof Error ? error.stack : undefined,
    );
    return { kind: 'recorded', reason: 'parser_failed', subject: null };
  }
}
