const FALLBACK = 'Conversation';
const SHORTEST = 8;

/** The first proposal that a person can read, on one line, as a title of 1 to `limit` UTF-16 units. */
export function threadTitle(proposals: readonly (string | null)[], limit: number): string {
  for (const proposal of proposals) {
    const line = oneLine(proposal ?? '');
    if (isReadable(line)) return cut(line, limit);
  }
  return cut(FALLBACK, limit);
}

/** The same title for the n-th thread that has it: `Repair scheduler (2)`. */
export function numbered(title: string, number: number, limit: number): string {
  if (number === 1) return cut(title, limit);
  const suffix = ` (${number})`;
  return `${cut(title, Math.max(1, Math.max(limit, SHORTEST) - suffix.length))}${suffix}`;
}

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Spaces, marks without a letter and characters without a width are nothing to read. */
function isReadable(line: string): boolean {
  return /[^\p{C}\p{Z}\p{M}]/u.test(line);
}

function cut(line: string, limit: number): string {
  if (line.length <= limit) return line;
  return withoutHalf(line.slice(0, limit)).trimEnd();
}

/** The first unit of a pair alone is no character. */
export function withoutHalf(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
