import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readSources } from '../../scripts/house/sources.mjs';
import { stateTables } from './state-tables.js';

const file = new URL('../../src/README.md', import.meta.url);
const MARKS = /(<!-- states: written by test\/house\/src-readme\.spec\.ts -->\n\n)([\s\S]*?)(\n<!-- end of states -->)/;

/** With `UPDATE_GOLDEN` set, the tables are written anew first. */
function readme(): string {
  const text = readFileSync(file, 'utf8');
  if (!process.env['UPDATE_GOLDEN']) return text;
  const renewed = text.replace(MARKS, (_, begin: string, __, end: string) => begin + stateTables() + end);
  writeFileSync(file, renewed);
  return renewed;
}

describe('src/README.md', () => {
  const text = readme();

  it('shows the state machines as the code has them', () => {
    expect(MARKS.exec(text)?.[2]).toBe(stateTables());
  });

  it('has the table of every machine that the sources make', () => {
    const made = [...readSources(['src']).values()].flatMap((source) =>
      [...source.matchAll(/\bmachine\('(\w+)'/g)].map(([, name]) => name),
    );
    const shown = [...stateTables().matchAll(/^#### (\w+)$/gm)].map(([, name]) => name);
    expect(made.length).toBeGreaterThan(2);
    expect(shown.toSorted()).toEqual(made.toSorted());
  });

  it('names every folder of src in its layers', () => {
    const folders = readdirSync(new URL('../../src', import.meta.url)).filter((name) =>
      statSync(new URL(`../../src/${name}`, import.meta.url)).isDirectory(),
    );
    expect(folders.filter((name) => !text.includes(`\`${name}/\``))).toEqual([]);
  });

  it('links to files that are there', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((path) => !existsSync(new URL(path, file)))).toEqual([]);
  });
});
