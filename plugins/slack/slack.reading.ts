import { setTimeout as delay } from 'node:timers/promises';
import { ChannelFault, type Connection } from 'throughline/plugin';
import { type Fields, fields, list, word } from './json.js';
import { callSlack } from './slack.client.js';
import type { SlackConnection } from './slack.options.js';

/** Asks a method of the Web API that changes nothing. */
export type Ask = (method: string, values: Fields) => Promise<Fields>;

const PAUSE_MS = 30_000;

/** Waits as long as Slack says, since a history is asked for in many requests and some apps may ask once a minute. */
export function patientAsk(connection: Connection<SlackConnection>, signal: AbortSignal): Ask {
  return async (method, values) => {
    for (;;) {
      try {
        return await callSlack('read', method, values, connection, signal);
      } catch (error) {
        if (!(error instanceof ChannelFault) || error.state !== 'rate_limited') throw error;
        await delay(error.retryAfterMs ?? PAUSE_MS, undefined, { signal });
      }
    }
  };
}

/** One list after the other, as the cursors lead. */
export async function* pages(ask: Ask, method: string, about: Fields, key: string): AsyncGenerator<Fields> {
  for (let cursor: string | undefined; ; ) {
    const answer = await ask(method, { ...about, limit: 200, ...(cursor !== undefined && { cursor }) });
    yield* list(answer[key]);
    cursor = word(fields(answer.response_metadata)?.next_cursor);
    if (cursor === undefined) return;
  }
}
