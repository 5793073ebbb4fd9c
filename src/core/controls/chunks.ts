import { withoutHalf } from './title.js';

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const LONGEST_INFO = 40;
const LONGEST_TICKS = 20;
/** Room for a line that closes a fence. */
const CLOSING = LONGEST_TICKS + 1;

/**
 * Text in parts of at most `limit` UTF-16 units: cut at ends of lines, else between words, never inside a character. A code block that is
 * cut is closed and opened again. Of text that grows all parts but the last stay as they are.
 */
export function chunked(text: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = text.toWellFormed();
  let opening = '';
  while (opening.length + rest.length > limit - CLOSING) {
    const at = cutAt(rest, limit - CLOSING - opening.length);
    const part = opening + rest.slice(0, at);
    rest = withoutSeparator(rest.slice(at));
    const fence = fenceAtEnd(part);
    parts.push(fence === null ? part : `${part}\n${fence.ticks}`);
    opening = fence === null ? '' : `${fence.ticks}${fence.info}\n`;
  }
  if (rest.trim() === '') return parts;
  const last = opening + rest;
  const fence = fenceAtEnd(last);
  return [...parts, fence === null ? last : `${last}\n${fence.ticks}`];
}

/** A line or a word that would leave less than half of the room is cut in its middle. */
function cutAt(text: string, room: number): number {
  const head = withoutHalf(text.slice(0, room));
  const least = Math.floor(head.length / 2);
  const line = head.lastIndexOf('\n');
  if (line > least) return line;
  const word = head.lastIndexOf(' ');
  return word > least ? word : Math.max(head.length, 1);
}

function withoutSeparator(text: string): string {
  return text.startsWith('\n') || text.startsWith(' ') ? text.slice(1) : text;
}

/** The code block that is open at the end of the text; null: none is. */
function fenceAtEnd(text: string): { readonly ticks: string; readonly info: string } | null {
  let open: { ticks: string; info: string } | null = null;
  for (const line of text.split('\n')) {
    const [, ticks = '', info = ''] = FENCE.exec(line) ?? [];
    if (ticks === '' || ticks.length > LONGEST_TICKS) continue;
    if (open === null) open = { ticks, info: withoutHalf(info.trim().slice(0, LONGEST_INFO)) };
    else if (ticks[0] === open.ticks[0] && ticks.length >= open.ticks.length && info.trim() === '') open = null;
  }
  return open;
}
