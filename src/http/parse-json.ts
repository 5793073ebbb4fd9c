/** Deeper JSON is refused: nobody means it, and code that walks it must not run out of stack. */
export const MOST_LEVELS = 512;

/** It keeps nothing from one text to the next, so one serves all. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

export type JsonReading = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;

/** Bytes as JSON. `__proto__` stays an own key, a byte order mark is passed over, and invalid UTF-8 is a fault, never replaced. */
export function parseJson(bytes: Buffer): JsonReading {
  const text = decodeUtf8(bytes);
  if (text === null) return { ok: false, problem: 'The body is not valid UTF-8.' };
  if (hasManyBrackets(text) && nestsTooDeep(bytes)) return { ok: false, problem: `The body nests more than ${MOST_LEVELS} levels deep.` };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    // The message of JSON.parse quotes the text, which may hold what a log or an answer must not.
    return { ok: false, problem: text === '' ? 'The body is empty; it should be JSON.' : 'The body is not valid JSON.' };
  }
}

/** Text without its byte order mark, or null when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

/** Whether there are enough of them, in strings too, to nest too deep: nearly no text has, and the runtime's own search is quick to say so. */
function hasManyBrackets(text: string): boolean {
  let found = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1 && found <= MOST_LEVELS; at = text.indexOf(bracket, at + 1)) found += 1;
  }
  return found > MOST_LEVELS;
}

/** Counts brackets outside strings, in one pass without recursion. Right for valid JSON; what it says of other text does not matter. */
function nestsTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    if (depth > MOST_LEVELS) return true;
  }
  return false;
}

function endOfString(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
