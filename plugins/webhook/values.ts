import { fields, instantRevision, isTruthy } from 'throughline/plugin';

/** Seconds since 1970 are below it for some thousand years, milliseconds above it since 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;
/** As GitLab and others write it: `2023-02-20 19:43:43 UTC`. */
const SPOKEN = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?) (?:UTC|\+0000)$/;

/** A text or a number as text; everything else is none. Nothing is trimmed: that could make one of two. */
export function scalarText(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  // Beyond 2^53 different ids of the sender read as the same number.
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : null;
}

/** An instant in UTC, of what senders write for one. */
export function instantOf(value: unknown): string | null {
  if (typeof value === 'number') return instantRevision(Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value);
  return typeof value === 'string' ? instantRevision(value.replace(SPOKEN, '$1T$2Z')) : null;
}

export function webUrl(value: unknown): string | null {
  return typeof value === 'string' && /^https?:\/\/\S+$/.test(value) ? value : null;
}

/** A reason is a word of its own in answers and lists. */
export function word(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.-]{1,64}$/.test(value) ? value : null;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
  readonly roles?: readonly string[];
}

/** An id, or `{id, name, bot, roles}`. */
export function personOf(value: unknown): Person | null {
  const plain = scalarText(value);
  if (plain !== null) return { id: plain, name: plain, isBot: false };
  const { id, name, bot, roles } = fields(value) ?? {};
  const known = scalarText(id);
  if (known === null) return null;
  const named = Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [];
  return { id: known, name: scalarText(name) ?? known, isBot: isTruthy(bot ?? false), ...(named.length > 0 && { roles: named }) };
}
