// The sources of the project, as texts and as parsed files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The TypeScript files under the given folders of the project, by their path from its root (always with `/`).
 * @param {readonly string[]} folders
 * @returns {Map<string, string>}
 */
export function readSources(folders) {
  const files = folders.flatMap((folder) => filesUnder(path.join(root, folder)));
  const names = files.map((file) => path.relative(root, file).split(path.sep).join('/'));
  const sources = names.filter((name) => name.endsWith('.ts') && !name.startsWith('test/fixtures/')).sort();
  return new Map(sources.map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
}

/**
 * @param {string} name
 * @param {string} text
 */
export function parse(name, text) {
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
}

/**
 * Every node below and including the given one.
 * @param {ts.Node} node
 * @returns {Generator<ts.Node>}
 */
export function* nodesOf(node) {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

function childrenOf(node) {
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(file) : [file];
  });
}
