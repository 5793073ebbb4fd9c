// Who imports whom, read from the sources alone.
import path from 'node:path';
import ts from 'typescript';
import { nodesOf, parse } from './sources.mjs';

/**
 * What a file imports or re-exports, in order, also by `import()` and in types.
 * @param {string} name
 * @param {string} text
 * @returns {{ specifier: string, line: number }[]}
 */
export function importsOf(name, text) {
  const file = parse(name, text);
  return [...nodesOf(file)].flatMap((node) => {
    const specifier = specifierOf(node);
    if (!specifier || !ts.isStringLiteralLike(specifier)) return [];
    return { specifier: specifier.text, line: file.getLineAndCharacterOfPosition(specifier.getStart()).line + 1 };
  });
}

function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return undefined;
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
  return importsOf(name, text).flatMap(({ specifier }) => resolveRelative(name, specifier) ?? []);
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
