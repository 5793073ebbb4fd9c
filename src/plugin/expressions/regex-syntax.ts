import { InvalidInput } from '../errors.js';
import { type CharTest, foldedTest, isLineEnd, isWord, rangeTest } from './regex-characters.js';
import { escapeBefore } from './regex-escapes.js';

/** A regular expression as a tree. A position lies between two code points, of which one is missing (-1) at either end of the text. */
export type RegexNode =
  | { readonly kind: 'one'; readonly takes: CharTest }
  | { readonly kind: 'position'; readonly holds: (before: number, after: number) => boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly part: RegexNode; readonly least: number; readonly most: number };

const MAX_LENGTH = 500;
const MAX_GROUPS_DEEP = 50;
const MAX_TIMES = 1_000;

const COUNTED = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/;

/**
 * Reads the part of regular expressions that can be searched for in linear time: no backreferences and no look-around, which refer to
 * what was matched. Throws `InvalidInput` that says what is wrong and at which character.
 */
export function parseRegex(source: string): RegexNode {
  if (source.length > MAX_LENGTH) throw new InvalidInput(`is longer than ${MAX_LENGTH} characters`);
  const [prefix = '', flags = ''] = /^\(\?([ims]+)\)/.exec(source) ?? [];
  return new RegexReader(source, prefix.length, flags).whole();
}

class RegexReader {
  private depth = 0;

  constructor(
    private readonly source: string,
    private at: number,
    private readonly flags: string,
  ) {}

  whole(): RegexNode {
    const node = this.choice();
    if (this.at < this.source.length) throw this.fault('has ")" without "(" before it; write \\) for the character itself');
    return node;
  }

  private choice(): RegexNode {
    const options = [this.sequence()];
    while (this.skip('|')) options.push(this.sequence());
    return options.length === 1 ? (options[0] as RegexNode) : { kind: 'choice', options };
  }

  private sequence(): RegexNode {
    const parts: RegexNode[] = [];
    for (let char = this.peek(); char !== '' && char !== '|' && char !== ')'; char = this.peek()) parts.push(this.repeated(this.part()));
    return { kind: 'sequence', parts };
  }

  private repeated(part: RegexNode): RegexNode {
    const times = this.times();
    if (times === null) return part;
    if (part.kind === 'position') throw this.fault('repeats something that takes no character');
    // Lazy or not, the same texts match.
    this.skip('?');
    if ('*+?{'.includes(this.peek() || 'end')) throw this.fault('repeats a repetition; put it into ( )');
    return { kind: 'repeat', part, ...times };
  }

  private times(): { least: number; most: number } | null {
    if (this.skip('*')) return { least: 0, most: Infinity };
    if (this.skip('+')) return { least: 1, most: Infinity };
    if (this.skip('?')) return { least: 0, most: 1 };
    if (this.peek() !== '{') return null;
    const [whole, from, comma, to] = COUNTED.exec(this.source.slice(this.at)) ?? [];
    if (whole === undefined) throw this.fault('has "{" that begins no {2} or {2,3}; write \\{ for the character itself');
    const least = Number(from);
    const most = comma === undefined ? least : to ? Number(to) : Infinity;
    if (most < least) throw this.fault(`has ${whole}, whose second number is the smaller one`);
    if (least > MAX_TIMES || (most !== Infinity && most > MAX_TIMES)) throw this.fault(`repeats more than ${MAX_TIMES} times`);
    this.at += whole.length;
    return { least, most };
  }

  private part(): RegexNode {
    const char = this.next();
    switch (char) {
      case '(':
        return this.group();
      case '[':
        return { kind: 'one', takes: this.set() };
      case '.':
        return { kind: 'one', takes: this.flags.includes('s') ? () => true : (point) => !isLineEnd(point) };
      case '^':
        return this.edge((before) => before);
      case '$':
        return this.edge((_before, after) => after);
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
      case '{':
        throw this.fault(`has "${char}" with nothing before it to repeat; write \\${char} for the character itself`);
      default:
        return this.literal(char);
    }
  }

  private edge(side: (before: number, after: number) => number): RegexNode {
    const isMultiline = this.flags.includes('m');
    return { kind: 'position', holds: (before, after) => side(before, after) === -1 || (isMultiline && isLineEnd(side(before, after))) };
  }

  private group(): RegexNode {
    if (this.skip('?') && !this.skip(':'))
      throw this.fault('has a group that begins with (? and is none of ( ) and (?: ); look-around and names are not supported');
    this.depth += 1;
    if (this.depth > MAX_GROUPS_DEEP) throw this.fault(`nests groups more than ${MAX_GROUPS_DEEP} deep`);
    const node = this.choice();
    if (!this.skip(')')) throw this.fault('has "(" without ")" after it; write \\( for the character itself');
    this.depth -= 1;
    return node;
  }

  private escape(): RegexNode {
    const char = this.peek();
    if (char === 'b' || char === 'B') {
      this.at += 1;
      return { kind: 'position', holds: (before, after) => (isWord(before) !== isWord(after)) === (char === 'b') };
    }
    const found = this.classOrPoint();
    return typeof found === 'number' ? this.literal(String.fromCodePoint(found)) : { kind: 'one', takes: found };
  }

  private classOrPoint(): CharTest | number {
    const { means, length } = escapeBefore(this.source.slice(this.at));
    this.at += length;
    return means;
  }

  private set(): CharTest {
    const negated = this.skip('^');
    const tests: CharTest[] = [];
    while (!this.skip(']')) {
      const first = this.setMember();
      const isRange = this.peek() === '-' && this.source[this.at + 1] !== ']';
      if (isRange) this.at += 1;
      const last = isRange ? this.setMember() : first;
      if (typeof first !== 'number' || typeof last !== 'number') {
        if (isRange) throw this.fault('has a range from or to a class of characters');
        tests.push(first as CharTest);
      } else if (last < first) throw this.fault('has a range whose end is before its beginning');
      else tests.push(rangeTest(first, last));
    }
    if (tests.length === 0) throw this.fault('has an empty []; write \\[ for the character itself');
    const takes = this.folded((point) => tests.some((test) => test(point)));
    return negated ? (point) => !takes(point) : takes;
  }

  private setMember(): CharTest | number {
    const char = this.next();
    if (char === '') throw this.fault('has "[" without "]" after it; write \\[ for the character itself');
    if (char !== '\\') return char.codePointAt(0) ?? 0;
    return this.skip('b') ? 8 : this.classOrPoint();
  }

  private literal(char: string): RegexNode {
    const point = char.codePointAt(0) ?? 0;
    return { kind: 'one', takes: this.folded((other) => other === point) };
  }

  private folded(test: CharTest): CharTest {
    return this.flags.includes('i') ? foldedTest(test) : test;
  }

  private peek(): string {
    const point = this.source.codePointAt(this.at);
    return point === undefined ? '' : String.fromCodePoint(point);
  }

  private next(): string {
    const char = this.peek();
    this.at += char.length;
    return char;
  }

  private skip(char: string): boolean {
    const isNext = this.source[this.at] === char;
    if (isNext) this.at += 1;
    return isNext;
  }

  private fault(message: string): InvalidInput {
    return new InvalidInput(`${message} (at character ${this.at})`);
  }
}
