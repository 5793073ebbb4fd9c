import { InvalidInput } from '../errors.js';

export type PatternPart =
  | { readonly kind: 'one'; readonly takes: (char: string) => boolean }
  | { readonly kind: 'any' }
  | { readonly kind: 'choice'; readonly options: readonly (readonly PatternPart[])[] };

const MAX_LENGTH = 500;

/** The parts of a pattern, in order. Throws `InvalidInput` that says what is wrong and at which character. */
export function parsePattern(source: string): PatternPart[] {
  if (source === '') throw new InvalidInput('is empty; write * for every event');
  const chars = [...source];
  if (chars.length > MAX_LENGTH) throw new InvalidInput(`is longer than ${MAX_LENGTH} characters`);
  return new PatternReader(chars).whole();
}

class PatternReader {
  private at = 0;

  constructor(private readonly chars: readonly string[]) {}

  whole(): PatternPart[] {
    const parts = this.parts([]);
    if (this.at < this.chars.length)
      throw new InvalidInput(`has "}" at character ${this.at + 1} without "{" before it; write \\} for the character itself`);
    return parts;
  }

  /** Reads on to the end, or to one of `stops`, which is left unread. `}` always stops. */
  private parts(stops: readonly string[]): PatternPart[] {
    const parts: PatternPart[] = [];
    for (let char = this.chars[this.at]; char !== undefined && char !== '}' && !stops.includes(char); char = this.chars[this.at]) {
      this.at += 1;
      parts.push(this.part(char));
    }
    return parts;
  }

  private part(char: string): PatternPart {
    switch (char) {
      case '*':
        return { kind: 'any' };
      case '?':
        return { kind: 'one', takes: () => true };
      case '{':
        return this.choice();
      case '[':
        return this.characterSet();
      case '\\':
        return literal(this.escaped());
      default:
        return literal(char);
    }
  }

  private choice(): PatternPart {
    const opened = this.at;
    const options: PatternPart[][] = [];
    do {
      options.push(this.parts([',']));
      if (this.at >= this.chars.length) throw new InvalidInput(`has "{" at character ${opened} without "}" after it`);
      this.at += 1;
    } while (this.chars[this.at - 1] === ',');
    if (options.every((option) => option.length === 0)) throw new InvalidInput(`has an empty {} at character ${opened}; write {a,b}`);
    return { kind: 'choice', options };
  }

  private characterSet(): PatternPart {
    const opened = this.at;
    const negated = this.chars[this.at] === '!';
    if (negated) this.at += 1;
    const ranges: (readonly [number, number])[] = [];
    while (this.chars[this.at] !== ']') {
      const first = this.setMember(opened);
      const isRange = this.chars[this.at] === '-' && this.chars[this.at + 1] !== ']';
      if (isRange) this.at += 1;
      ranges.push([first, isRange ? this.setMember(opened) : first]);
    }
    this.at += 1;
    if (ranges.length === 0) throw new InvalidInput(`has an empty [] at character ${opened}; write \\[ for the character itself`);
    return { kind: 'one', takes: (char) => ranges.some((range) => within(char, range)) !== negated };
  }

  private setMember(opened: number): number {
    const char = this.chars[this.at];
    if (char === undefined)
      throw new InvalidInput(`has "[" at character ${opened} without "]" after it; write \\[ for the character itself`);
    this.at += 1;
    return codePoint(char === '\\' ? this.escaped() : char);
  }

  private escaped(): string {
    const char = this.chars[this.at];
    if (char === undefined) throw new InvalidInput('ends with a single \\; write \\\\ for the character itself');
    this.at += 1;
    return char;
  }
}

function literal(expected: string): PatternPart {
  return { kind: 'one', takes: (char) => char === expected };
}

function within(char: string, [first, last]: readonly [number, number]): boolean {
  const point = codePoint(char);
  return point >= first && point <= last;
}

function codePoint(char: string): number {
  return char.codePointAt(0) ?? 0;
}
