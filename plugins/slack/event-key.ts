import { type Fields, fields } from './json.js';

/** `message.message_changed`, `app_mention`; for what is no event, its own type: `block_actions`, `slash_command`, `app_rate_limited`. */
export function eventKeyOf(payload: unknown): string {
  const body = fields(payload);
  if (body?.type === 'event_callback') {
    const event = fields(body.event);
    return [event?.type, event?.subtype].filter(isName).join('.') || 'unknown';
  }
  if (isName(body?.type)) return body.type;
  return isCommand(payload) ? 'slash_command' : 'unknown';
}

/** Slash commands have no type; the name of the command tells them. */
export function isCommand(payload: unknown): payload is Fields {
  const command = fields(payload)?.command;
  return typeof command === 'string' && command.startsWith('/');
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && /^\w{1,64}$/.test(value);
}
