import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunked } from '../../../src/core/controls/chunks.js';
import { numbered, threadTitle } from '../../../src/core/controls/title.js';

const anyText = fc.string({ unit: 'binary', maxLength: 300 });

describe('titles of threads', () => {
  it('CTL-2 a title is 1 to 100 UTF-16 units on one line and well-formed, whatever is proposed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyText, fc.constant(null)), { maxLength: 3 }),
        fc.integer({ min: 16, max: 100 }),
        (proposals, limit) => {
          const title = threadTitle(proposals, limit);
          expect(title.length).toBeGreaterThan(0);
          expect(title.length).toBeLessThanOrEqual(limit);
          expect(title.isWellFormed()).toBe(true);
          expect(title).toBe(title.trim());
          expect(/[\n\r\t]| {2}/.test(title)).toBe(false);
        },
      ),
    );
  });

  it('CTL-2 the same title again gets a number, within the limit and unlike all before it', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 16, max: 100 }), (text, limit) => {
        const title = threadTitle([text], limit);
        const all = Array.from({ length: 120 }, (_, i) => numbered(title, i + 1, limit));
        expect(new Set(all).size).toBe(all.length);
        expect(all.every((each) => each.length <= limit && each.isWellFormed())).toBe(true);
        expect(all[1]?.endsWith(' (2)')).toBe(true);
      }),
    );
  });

  it('CTL-2 what nobody can read is not proposed, and the first that can be read wins', () => {
    expect(threadTitle([null, '', ' \n', '\u200b\u200b', '[PYN-123]  Repair\tscheduler', 'other'], 100)).toBe('[PYN-123] Repair scheduler');
    expect(threadTitle([null], 100)).toBe('Conversation');
    expect(threadTitle([`${'a'.repeat(15)}😀`], 16)).toBe('a'.repeat(15));
  });
});

describe('text in messages', () => {
  const prose = fc
    .array(fc.oneof(fc.constantFrom('word ', 'line\n', '```js\n', '```\n', '😀', '~~~\n', '`'), anyText), { maxLength: 200 })
    .map((parts) => parts.join(''));

  it('TRN-8 every part is within the limit and holds no half of a character', () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 100, max: 400 }), (text, limit) => {
        for (const part of chunked(text, limit)) {
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(part.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('TRN-8 nothing but separators is left out', () => {
    const letters = (text: string) => text.replace(/[\s`~]|js/g, '');
    fc.assert(
      fc.property(prose, fc.integer({ min: 100, max: 400 }), (text, limit) => {
        expect(letters(chunked(text, limit).join(''))).toBe(letters(text.toWellFormed()));
      }),
    );
  });

  it('TRN-8 of text that grows all parts but the last stay as they are', () => {
    fc.assert(
      fc.property(prose, prose, fc.integer({ min: 100, max: 400 }), (text, more, limit) => {
        const before = chunked(text.toWellFormed(), limit).slice(0, -1);
        expect(chunked(text.toWellFormed() + more, limit).slice(0, before.length)).toEqual(before);
      }),
    );
  });

  it('TRN-8 a code block that is cut is closed and opened again, and lines are kept whole', () => {
    const code = Array.from({ length: 40 }, (_, i) => `line ${i} of the code`).join('\n');
    const parts = chunked(`Look:\n\`\`\`ts\n${code}\n\`\`\`\nThat is all.`, 300);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.slice(0, -1).every((part) => part.endsWith('\n```'))).toBe(true);
    expect(parts.slice(1).every((part) => part.startsWith('```ts\n'))).toBe(true);
    expect(parts.slice(1, -1).every((part) => /^```ts\nline \d+ of the code\n/.test(part))).toBe(true);
    expect(parts.at(-1)?.endsWith('That is all.')).toBe(true);
  });
});
