const DEEPEST_NESTING = 512;
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const OPENING: ReadonlySet<number> = new Set([...'[{'].map((bracket) => bracket.charCodeAt(0)));
const CLOSING: ReadonlySet<number> = new Set([...']}'].map((bracket) => bracket.charCodeAt(0)));

/** The JSON in a form's field, or null: the request is authentic, so what cannot be read is recorded, not refused. */
export function parseField(field: unknown): unknown {
  if (typeof field !== 'string' || nestsTooDeep(field)) return null;
  try {
    return JSON.parse(field);
  } catch {
    return null;
  }
}

/** Deeper than the host takes an event. */
export function nestsTooDeep(json: string): boolean {
  return nesting(json) > DEEPEST_NESTING;
}

/** How deep brackets nest outside of strings; counted before parsing, as later readers recurse. */
function nesting(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (inString && code === BACKSLASH) index++;
    else if (code === QUOTE) inString = !inString;
    else if (!inString && OPENING.has(code)) deepest = Math.max(deepest, ++depth);
    else if (!inString && CLOSING.has(code)) depth--;
  }
  return deepest;
}
