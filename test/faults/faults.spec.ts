import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { titlesOf } from '../house/titles.js';

/** The kinds that apply, by number: duplicates, order, restarts, loops, identity, streams, SQLite. */
const FAULTS = [
  ...[1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19],
  ...[26, 28, 29, 31, 32, 34, 35, 37, 38, 40, 41, 43, 44],
  ...[46, 47, 49, 50, 53],
  ...[55, 56, 58, 59, 61, 62],
  ...[64, 65, 67, 68],
  ...[70, 71],
  83,
];

describe('the table of faults', () => {
  const text = readFileSync('test/faults/README.md', 'utf8');
  const rows = [...text.matchAll(/^\| B(\d+) \| .+ \| (\S+) \|$/gm)].map(([, number = '', where = '']) => ({
    number: Number(number),
    where,
  }));
  const named = titlesOf('test').flatMap(({ file, title }) =>
    (title.match(/\bB\d+\b/g) ?? []).map((id) => ({ file, number: Number(id.slice(1)) })),
  );
  const [, unbuilt = ''] = readFileSync('docs/guarantees.md', 'utf8').split('## Not built yet');

  it('has every kind once', () => {
    expect(rows.map(({ number }) => number)).toEqual(FAULTS);
  });

  it('names for each a file with a test of it, or the unbuilt rule that it waits for', () => {
    const isRight = ({ number, where }: (typeof rows)[number]) =>
      where.startsWith('test/') ? named.some((test) => test.number === number && test.file === where) : unbuilt.includes(`| ${where} |`);
    expect(rows.filter((row) => !isRight(row))).toEqual([]);
  });

  it('calls nothing unbuilt that a test names', () => {
    const waiting = rows.filter(({ where }) => !where.startsWith('test/')).map(({ number }) => number);
    expect(named.filter(({ number }) => waiting.includes(number))).toEqual([]);
  });
});
