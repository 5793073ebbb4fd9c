import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compilePattern, patternFault } from '../../../src/plugin/expressions/event-pattern.js';

const matches = (pattern: string, key: string): boolean => compilePattern(pattern).matches(key);

describe('patterns over event keys', () => {
  it.each([
    ['push', 'push'],
    ['*', ''],
    ['*', 'issue_comment.created'],
    ['issue_comment.*', 'issue_comment.created'],
    ['issues*', 'issues.opened.again'],
    ['issues.?pened', 'issues.opened'],
    ['issues.{opened,reopened}', 'issues.reopened'],
    ['{issues,pull_request}.{opened,closed}', 'pull_request.closed'],
    ['issues{,.*}', 'issues'],
    ['{a{b,c},d*}e', 'ace'],
    ['{a{b,c},d*}e', 'dxxe'],
    ['v[0-9].[!a]', 'v7.b'],
    ['a\\*b', 'a*b'],
    ['a,b', 'a,b'],
    ['?', '😀'],
  ])('AUT-2 %s takes %s', (pattern, key) => {
    expect(matches(pattern, key)).toBe(true);
  });

  it.each([
    ['push', 'Push'],
    ['push', 'pushed'],
    ['?', ''],
    ['issues.{opened,reopened}', 'issues.closed'],
    ['issue_comment.*', 'issue_comment'],
    ['v[0-9]', 'vx'],
    ['v[!0-9]', 'v7'],
    ['a\\*b', 'axb'],
    ['a.c', 'abc'],
  ])('AUT-2 %s does not take %s', (pattern, key) => {
    expect(matches(pattern, key)).toBe(false);
  });

  it.each([
    ['', 'is empty'],
    ['{a,b', 'without "}"'],
    ['a}', 'without "{"'],
    ['{}', 'empty {}'],
    ['{,}', 'empty {}'],
    ['[ab', 'without "]"'],
    ['[]', 'empty []'],
    ['a\\', 'single \\'],
    ['a'.repeat(501), 'longer than 500'],
  ])('says what is wrong with the pattern %j', (pattern, message) => {
    expect(patternFault(pattern)).toContain(message);
    expect(() => compilePattern(pattern)).toThrow(message);
  });

  it('takes time that grows with the lengths alone, however a pattern is built', () => {
    const key = `${'a'.repeat(5_000)}!`;
    const started = performance.now();
    expect(matches(`${'*a'.repeat(100)}*b`, key)).toBe(false);
    expect(matches(`${'{a,aa}'.repeat(80)}b`, key)).toBe(false);
    expect(matches(`${'{*,*a,{*}}'.repeat(40)}b`, key)).toBe(false);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('agrees with a plain reading of * and ? on random texts, and throws for no text', () => {
    const piece = fc.constantFrom('a', 'b', '.', '*', '?');
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 10 }),
        fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 10 }),
        (pattern, key) => {
          const translated = pattern.map(
            (char) =>
              new Map([
                ['*', '.*'],
                ['?', '.'],
                ['.', '\\.'],
              ]).get(char) ?? char,
          );
          const plain = new RegExp(`^${translated.join('')}$`, 's');
          expect(matches(pattern.join(''), key.join(''))).toBe(plain.test(key.join('')));
        },
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab*?{}[]!-,\\'), maxLength: 20 }), fc.string(), (pattern, key) => {
        if (patternFault(pattern) === null) expect(typeof matches(pattern, key)).toBe('boolean');
      }),
    );
  });
});
