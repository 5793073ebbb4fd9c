import { decodeUtf8, MOST_LEVELS } from '../http/parse-json.js';

/** The fields of a form body, each a text, the last of a name winning; null when it is not well-formed UTF-8. */
export function parseForm(bytes: Buffer): Record<string, string> | null {
  const text = decodeUtf8(bytes);
  if (text === null) return null;
  try {
    const pairs = text.split('&').filter((pair) => pair !== '');
    // `fromEntries` defines keys instead of assigning them: a field `__proto__` is a field like any other.
    return Object.fromEntries(pairs.map((pair) => [decode(before(pair)), decode(pair.slice(before(pair).length + 1))]));
  } catch {
    return null;
  }
}

/** Is a value nested deeper than a JSON body may be? A plugin took it from a text that the body's own check never saw. */
export function nestsTooDeepValue(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_LEVELS) return true;
    level = level
      .flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
      .filter((item) => typeof item === 'object' && item !== null);
  }
  return false;
}

function before(pair: string): string {
  return pair.split('=', 1)[0] ?? '';
}

/** Unlike `URLSearchParams` it throws where a replacement character would stand for bytes that are lost. */
function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
