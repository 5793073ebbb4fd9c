import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Regex, regexFault, regexOf } from '../../../src/plugin/expressions/regex.js';

const isIn = (pattern: string, text: string) => new Regex(pattern).isIn(text, () => undefined);

/** The work of a search, in steps of the budget. */
function workOf(pattern: string, text: string): number {
  let work = 0;
  new Regex(pattern).isIn(text, (steps) => {
    work += steps;
  });
  return work;
}

/** Patterns of the language that JavaScript's engine reads the same way. */
const { pattern: patterns } = fc.letrec<{ pattern: string; sequence: string; repeated: string; atom: string }>((tie) => ({
  pattern: fc.oneof(
    { weight: 3, arbitrary: tie('sequence') },
    fc.tuple(tie('sequence'), tie('sequence')).map((each) => each.join('|')),
  ),
  sequence: fc.array(tie('repeated'), { maxLength: 4 }).map((parts) => parts.join('')),
  repeated: fc.oneof(
    fc
      .tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?', '{1,2}?'))
      .map(([atom, times]) => `${atom}${times}`),
    fc.constantFrom('^', '$', '\\b', '\\B'),
  ),
  atom: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      'a',
      'b',
      'B',
      '.',
      '\\d',
      '\\w',
      '\\s',
      '\\S',
      '[ab]',
      '[^a]',
      '[a-c1]',
      '[^\\d]',
      '\\.',
      '\\n',
      '\\u{1F600}',
      '\\x41',
      'é',
    ),
    tie('pattern').map((pattern) => `(?:${pattern})`),
    tie('pattern').map((pattern) => `(${pattern})`),
  ),
}));

const texts = fc
  .array(fc.constantFrom('a', 'b', 'A', 'B', 'c', '1', ' ', '\n', '.', '_', 'é', 'É', '😀'), { maxLength: 12 })
  .map((chars) => chars.join(''));

describe('regular expressions', () => {
  it('find what the engine of JavaScript finds', () => {
    fc.assert(
      fc.property(patterns, texts, fc.constantFrom('', 'i', 's', 'm', 'ims'), (pattern, text, flags) => {
        // V8 finds \B between the two halves of an emoji, where no character begins.
        fc.pre(!(pattern.includes('\\B') && text.includes('😀')));
        const whole = flags === '' ? pattern : `(?${flags})${pattern}`;
        expect([pattern, flags, text, isIn(whole, text)]).toEqual([pattern, flags, text, new RegExp(pattern, `u${flags}`).test(text)]);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['^fix(up)?!', 'fixup! the build', true],
    ['^fix(up)?!', 'a fix!', false],
    ['v\\d+\\.\\d+', 'released v1.24', true],
    ['\\bpanic\\b', 'dont-panic!', true],
    ['\\bpanic\\b', 'panicking', false],
    ['(?i)URGENT|wichtig', 'Das ist WICHTIG', true],
    ['(?i)[a-f]{3}', 'XYABCD', true],
    ['(?m)^two$', 'one\ntwo\nthree', true],
    ['^two$', 'one\ntwo\nthree', false],
    ['(?s)a.b', 'a\nb', true],
    ['a{0}b', 'b', true],
    ['', 'anything', true],
    ['a{3,5}$', 'xaaaa', true],
    ['[\\]\\-]', 'a-b', true],
    ['}]', 'a}]', true],
  ])('%s in %j: %j', (pattern, text, expected) => {
    expect(isIn(pattern, text)).toBe(expected);
  });

  it.each([
    ['(a', '"(" without ")"'],
    ['a)', '")" without "("'],
    ['[a', '"[" without "]"'],
    ['[]', 'empty []'],
    ['[b-a]', 'whose end is before its beginning'],
    ['[\\d-x]', 'a range from or to a class'],
    ['*a', 'nothing before it to repeat'],
    ['a**', 'repeats a repetition'],
    ['^*', 'takes no character'],
    ['a{2', 'begins no {2}'],
    ['a{3,2}', 'second number is the smaller'],
    ['a{1001}', 'more than 1000 times'],
    ['(a{100}){100}', 'more than 2000 parts'],
    ['(a)\\1', 'would refer to a group'],
    ['(?=a)', 'look-around'],
    ['(?<name>a)', 'names are not supported'],
    ['\\p{L}', 'means nothing here'],
    ['\\', 'ends with a single'],
    ['\\u{110000}', 'no character'],
    ['('.repeat(60), 'more than 50 deep'],
    ['a'.repeat(501), 'longer than 500'],
  ])('refuse %s', (pattern, message) => {
    expect(regexFault(pattern)).toContain(message);
    expect(regexOf(pattern)).toBeNull();
  });

  it.each([
    ['(a+)+$', 'a'],
    ['(a|a)*$', 'a'],
    ['(a|aa)+$', 'a'],
    ['(.*)*(.*)*x', 'a'],
    ['(a?){60}a{60}!', 'a'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
  ])('AUT-2 take work that grows as the text does: %s', (pattern, char) => {
    // Engines that go back take twice as long for every further character here.
    const [once, twice] = [5_000, 10_000].map((length) => workOf(pattern, `${char.repeat(length)}\u{1}`));
    expect(twice).toBeLessThan((once ?? 0) * 2.1);
  });

  it('AUT-2 cost no more than their text times their size', () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(workOf(pattern, text)).toBeLessThanOrEqual((text.length + 1) * (1 + 10 * pattern.length));
      }),
    );
  });

  it('end a search that is told to end', () => {
    const enough = () => {
      throw new Error('enough');
    };
    expect(() => new Regex('x').isIn('a'.repeat(10_000), enough)).toThrow('enough');
    expect(isIn('x', 'ax')).toBe(true);
  });
});
