/** Whether a code point is meant. */
export type CharTest = (point: number) => boolean;

export const isDigit: CharTest = (point) => point >= 48 && point <= 57;

/** Letters, digits and the underscore of ASCII; the end of a text (-1) is no word character. */
export const isWord: CharTest = (point) => isDigit(point) || (point >= 97 && point <= 122) || (point >= 65 && point <= 90) || point === 95;

export const isLineEnd: CharTest = (point) => point === 10 || point === 13 || point === 0x2028 || point === 0x2029;

export const isSpace: CharTest = (point) =>
  point === 32 || (point >= 9 && point <= 13) || (point > 127 && /\s/.test(String.fromCodePoint(point)));

export function rangeTest(first: number, last: number): CharTest {
  return (point) => point >= first && point <= last;
}

/** Whether the test means the code point, or its other case. */
export function foldedTest(test: CharTest): CharTest {
  return (point) => test(point) || othersOf(point).some(test);
}

function othersOf(point: number): number[] {
  if (point < 128) return isWord(point) && point > 64 && point !== 95 ? [point ^ 32] : [];
  const char = String.fromCodePoint(point);
  return [char.toLowerCase(), char.toUpperCase()].flatMap((other) => ([...other].length === 1 ? [other.codePointAt(0) ?? point] : []));
}
