import { fields } from 'throughline/plugin';

export { type Fields, fields, known, list, word } from 'throughline/plugin';

/** The address when it is one that a browser may open. */
export function webAddress(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//i.test(value) ? value : undefined;
}

/** One text for one JSON value: keys in code-unit order, no white space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join()}]`;
  const object = fields(value);
  if (!object) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(object).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key])}`).join()}}`;
}
