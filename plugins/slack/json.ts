export { type Fields, fields, known, list, word } from 'throughline/plugin';

/** The value when it is an id as Slack makes them; they are parts of keys, so nothing may stand in them that separates parts. */
export function slackId(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value) ? value : undefined;
}

/** The value when it is a message's `ts`. It identifies the message as text: as a number it would lose digits. */
export function timestamp(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? value : undefined;
}
