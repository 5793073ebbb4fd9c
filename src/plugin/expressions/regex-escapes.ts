import { InvalidInput } from '../errors.js';
import { type CharTest, isDigit, isSpace, isWord } from './regex-characters.js';

const CLASSES: Readonly<Record<string, CharTest>> = {
  ...{ d: isDigit, w: isWord, s: isSpace },
  ...{ D: (point) => !isDigit(point), W: (point) => !isWord(point), S: (point) => !isSpace(point) },
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', '0': '\0' };
const CODE = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\})/;

export interface Escape {
  /** A class of characters, or one of them. */
  readonly means: CharTest | number;
  /** Length of what stands after the backslash. */
  readonly length: number;
}

/** What a backslash makes of the text after it. Throws `InvalidInput`. */
export function escapeBefore(text: string): Escape {
  const [code, ...digits] = CODE.exec(text) ?? [];
  if (code !== undefined) return { means: pointOf(code, digits.find(Boolean) ?? ''), length: code.length };
  const [char] = text;
  if (char === undefined) throw new InvalidInput('ends with a single \\');
  const takes = Object.hasOwn(CLASSES, char) ? CLASSES[char] : undefined;
  if (takes !== undefined) return { means: takes, length: 1 };
  const control = Object.hasOwn(CONTROLS, char) ? CONTROLS[char] : undefined;
  if (control === undefined && /[1-9]/.test(char))
    throw new InvalidInput(`has \\${char}, which would refer to a group; that is not supported`);
  if (control === undefined && /[A-Za-z]/.test(char)) throw new InvalidInput(`has \\${char}, which means nothing here`);
  return { means: (control ?? char).codePointAt(0) ?? 0, length: char.length };
}

function pointOf(code: string, digits: string): number {
  const point = Number.parseInt(digits, 16);
  if (point > 0x10ffff) throw new InvalidInput(`has \\${code}, which is no character`);
  return point;
}
