import { importsOf, resolveRelative } from '../../scripts/house/imports.mjs';

/** What each file imports. */
export type ImportGraph = ReadonlyMap<string, ReturnType<typeof importsOf>>;
export type CoreFile = 'pure' | 'table' | 'store' | 'use case';

/** The folders of core that own rows. The others (admission, recovery, maintenance) put the concepts' use cases together. */
const CONCEPTS: readonly string[] = [
  ...['subjects', 'receipts', 'conversations', 'deliveries', 'turns', 'effects', 'controls'],
  ...['leases', 'cursors', 'gaps'],
];

export function importGraph(sources: ReadonlyMap<string, string>): ImportGraph {
  return new Map([...sources].map(([file, text]) => [file, importsOf(text)]));
}

export function conceptOf(file: string): string | null {
  const folder = file.split('/')[2] ?? '';
  return CONCEPTS.includes(folder) ? folder : null;
}

/**
 * Told by the name where it says so: `x.table.ts`, the concept's singular for what must be pure, and for a store a plural,
 * `xs.ts` or `xs.<dialect>.ts`. Of the others those are use cases that reach the database.
 */
export function kindOf(file: string, graph: ImportGraph): CoreFile {
  const stem = file.split('/').at(-1)?.replace(/\.ts$/, '') ?? '';
  if (stem.endsWith('.table')) return 'table';
  if (stem === singular(conceptOf(file)) || !reachesDatabase(file, graph)) return 'pure';
  return /^[a-z]+s(?:\.[a-z]+)?$/.test(stem) ? 'store' : 'use case';
}

function singular(plural: string | null): string | null {
  return plural?.replace(/ies$/, 'y').replace(/s$/, '') ?? null;
}

function reachesDatabase(file: string, graph: ImportGraph, seen: ReadonlySet<string> = new Set()): boolean {
  if (file.startsWith('src/database/') || file.endsWith('.table.ts')) return true;
  if (seen.has(file)) return false;
  const targets = (graph.get(file) ?? []).flatMap(({ specifier }) => resolveRelative(file, specifier) ?? []);
  return targets.some((target) => reachesDatabase(target, graph, new Set([...seen, file])));
}
