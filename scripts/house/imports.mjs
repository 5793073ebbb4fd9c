// Who imports whom, read from the sources alone.
import path from 'node:path';
import ts from 'typescript';

/**
 * What a file imports or re-exports, in order, also by `import()` and in types.
 * @param {string} text
 * @returns {{ specifier: string, line: number }[]}
 */
export function importsOf(text) {
  const { importedFiles } = ts.preProcessFile(text, true, false);
  return importedFiles.map(({ fileName, pos }) => ({ specifier: fileName, line: text.slice(0, pos).split('\n').length }));
}

/**
 * The path from the project's root that a relative specifier means, or null for a package or a built-in module.
 * @param {string} from
 * @param {string} specifier
 */
export function resolveRelative(from, specifier) {
  if (!specifier.startsWith('.')) return null;
  return path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

/**
 * The import cycles of the given sources, types included: one list of files for each group that cannot be put in an order.
 * @param {ReadonlyMap<string, string>} sources
 * @returns {string[][]}
 */
export function cyclesIn(sources) {
  const targets = new Map([...sources].map(([name, text]) => [name, relativeImports(name, text).filter((target) => sources.has(target))]));
  return stronglyConnected(targets).filter(([first, ...others]) => others.length > 0 || targets.get(first).includes(first));
}

function relativeImports(name, text) {
  return importsOf(text).flatMap(({ specifier }) => resolveRelative(name, specifier) ?? []);
}

/** Tarjan's algorithm. */
function stronglyConnected(targets) {
  const index = new Map();
  const lowest = new Map();
  const stack = [];
  const groups = [];
  const visit = (node) => {
    index.set(node, index.size);
    lowest.set(node, index.get(node));
    stack.push(node);
    for (const target of targets.get(node)) {
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) lowest.set(node, Math.min(lowest.get(node), lowest.get(target)));
    }
    if (lowest.get(node) === index.get(node)) groups.push(stack.splice(stack.indexOf(node)));
  };
  for (const node of targets.keys()) if (!index.has(node)) visit(node);
  return groups;
}
