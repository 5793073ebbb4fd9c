const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\u3000-\u303e\uff01-\uff60]|\ufe0f/u;

/** Columns that a terminal gives to the text, which has no control characters. */
export function textWidth(text: string): number {
  return [...graphemes.segment(text)].reduce((width, { segment }) => width + widthOf(segment), 0);
}

/** The text in exactly so many columns: cut with an ellipsis, or padded. */
export function fitted(text: string, width: number): string {
  const line = cut(oneLine(text), width);
  return line + ' '.repeat(Math.max(0, width - textWidth(line)));
}

/** The text in no more than so many columns. */
export function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return width > 0 ? `${kept.trimEnd()}…` : '';
}

/** Words in lines of at most so many columns. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** What others wrote must not move the cursor. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}

function widthOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
