import { type Fields, fields, instantRevision } from 'throughline/plugin';

const ISO_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const LONGEST_LINK = 2000;

/** Reads `a.b.c` of parsed JSON through own properties alone, so that no name of a prototype is ever taken for data. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

export function isObject(value: unknown): value is Fields {
  return fields(value) !== undefined;
}

/** GitHub's ids and numbers are positive; one beyond 2^53 would have lost digits in parsing, and two could read as one. */
export function idAt(value: unknown, path: string): number | null {
  const found = at(value, path);
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : null;
}

/** Short text on one line, for titles and sentences; numbers count as text. */
export function lineAt(value: unknown, path: string, longest = 200): string | null {
  const found = at(value, path);
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' ? oneLine(found, longest) || null : null;
}

export function oneLine(text: string, longest: number): string {
  // Two code units a character are enough to cut from, whatever the length of the text.
  const tidy = text
    .slice(0, longest * 2 + 2)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (tidy.length <= longest) return tidy;
  const characters = [...tidy];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : tidy;
}

/** An instant as a revision, or null. Only full ISO-8601 counts: other forms that `Date` reads depend on the machine's time zone. */
export function instantAt(value: unknown, path: string): string | null {
  const found = at(value, path);
  if (typeof found !== 'string' || !ISO_INSTANT.test(found)) return null;
  const revision = instantRevision(found);
  return revision?.length === 24 ? revision : null;
}

/** A web address that is safe to show as a link. */
export function linkAt(value: unknown, path: string): string | null {
  const found = at(value, path);
  return typeof found === 'string' && found.length <= LONGEST_LINK && /^https?:\/\/[^\s\p{Cc}]+$/u.test(found) ? found : null;
}

/** An optional property, present only where there is a value. */
export function given<Name extends string, Value>(name: Name, value: Value | null): { readonly [N in Name]?: Value } {
  return value === null ? {} : ({ [name]: value } as { readonly [N in Name]: Value });
}
