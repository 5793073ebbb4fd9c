export { type Fields, fields, known, list, word } from 'throughline/plugin';

/** The value when it is an id of Discord's: a whole number as text. As a JSON number it would have lost digits. */
export function snowflake(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : undefined;
}
