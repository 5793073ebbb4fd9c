import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** A fenced block of a document. */
export interface Block {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

const FENCE = /^( *)```(\S*)\n([\s\S]*?)^\1```$/gm;

/** The documents that people read: the README, docs, the plugins' pages. */
export function documents(): string[] {
  const pages = readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const plugins = readdirSync(`${root}plugins`).map((name) => `plugins/${name}/README.md`);
  return ['README.md', 'src/README.md', ...pages, ...plugins];
}

export function blocksOf(file: string): Block[] {
  const whole = readFileSync(`${root}${file}`, 'utf8');
  return [...whole.matchAll(FENCE)].map(({ 1: indent = '', 2: language = '', 3: text = '', index }) => ({
    file,
    line: whole.slice(0, index).split('\n').length,
    language,
    text: text
      .split('\n')
      .map((each) => each.replace(indent, ''))
      .join('\n'),
  }));
}

export function blocksIn(language: string): Block[] {
  return documents()
    .flatMap(blocksOf)
    .filter((block) => block.language === language);
}
