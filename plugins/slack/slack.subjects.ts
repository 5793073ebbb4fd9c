import { type AuthenticEvent, instantRevision, type Parsed, type Recorded, type SubjectParser } from 'throughline/plugin';
import { parseCommand, parseInteraction } from './actions.js';
import { isCommand } from './event-key.js';
import { type Fields, fields, known, word } from './json.js';
import { parseMessage } from './message-events.js';
import { reasonOfOther } from './other-events.js';
import type { SlackConnection } from './slack.options.js';

const INTERACTIONS: ReadonlySet<string> = new Set(
  `block_suggestion dialog_cancellation dialog_submission dialog_suggestion interactive_message message_action shortcut
  view_closed view_submission workflow_step_edit`.split(/\s+/),
);

/** From an Events API body, over HTTP or out of a socket's envelope, to the thread that it is about, and what it says. */
export class SlackSubjects implements SubjectParser<SlackConnection> {
  parse({ payload, connection }: AuthenticEvent<SlackConnection>): Parsed {
    const body = fields(payload);
    if (!body) return recorded('invalid_shape');
    if (body.type === 'event_callback') return parseEvent(body, connection.options);
    const type = word(body.type);
    if (!type) return isCommand(body) ? (parseCommand(body) ?? recorded('command_not_supported')) : recorded('invalid_shape');
    if (type === 'block_actions') return parseInteraction(body) ?? recorded('interaction_not_supported');
    if (INTERACTIONS.has(type)) return recorded('interaction_not_supported');
    return recorded(type === 'app_rate_limited' || type === 'url_verification' ? type : 'unknown_event');
  }
}

function parseEvent(body: Fields, options: SlackConnection): Parsed {
  const event = fields(body.event);
  const type = word(event?.type);
  if (!event || !type) return recorded('invalid_shape');
  if (type === 'message' || type === 'app_mention') return parseMessage(event, body, options) ?? recorded('invalid_shape', body);
  const reason = reasonOfOther(type);
  return type.startsWith('reaction_') ? { ...recorded(reason, body), kind: 'ignored' } : recorded(reason, body);
}

function recorded(reason: string, { event_time: seconds }: Fields = {}): Recorded {
  const occurredAt = typeof seconds === 'number' ? (instantRevision(seconds * 1000) ?? undefined) : undefined;
  return { kind: 'recorded', reason, subject: null, ...known({ occurredAt }) };
}
