// What the bands measure in one file.
import ts from 'typescript';
import { nodesOf, parse } from './sources.mjs';

/** Marks by which a fault of types or style is hidden rather than mended. */
const SUPPRESSION = /@ts-(?:ignore|nocheck|expect-error)|biome-ignore|eslint-disable/;

/**
 * @param {string} name
 * @param {string} text
 * @returns {{ lines: number, code: number, comments: number, functions: { at: string, lines: number }[], anys: string[], suppressions: string[] }}
 */
export function measure(name, text) {
  const file = parse(name, text);
  const nodes = [...nodesOf(file)];
  const lineOf = (position) => file.getLineAndCharacterOfPosition(position).line + 1;
  const at = (position) => `${name}:${lineOf(position)}`;
  const comments = commentsOf(file);
  return {
    lines: lineOf(text.trimEnd().length),
    code: text.split('\n').filter((line) => line.trim() !== '').length,
    comments: linesOfTheirOwn(comments, text, lineOf),
    functions: nodes.filter(hasBody).map((node) => ({ at: at(node.getStart()), lines: lineOf(node.end) - lineOf(node.getStart()) + 1 })),
    anys: nodes.filter((node) => node.kind === ts.SyntaxKind.AnyKeyword).map((node) => at(node.getStart())),
    suppressions: comments.filter(({ pos, end }) => SUPPRESSION.test(text.slice(pos, end))).map(({ pos }) => at(pos)),
  };
}

function hasBody(node) {
  return ts.isFunctionLike(node) && node.body !== undefined;
}

/** Comments are no nodes: they stand in what precedes a token or follows it on its line. */
function commentsOf(file) {
  const found = new Map();
  const collect = (node) => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(file.text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(file.text, node.end) ?? []),
    ];
    for (const range of ranges) found.set(range.pos, range);
    for (const child of node.getChildren(file))
      if (child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode) collect(child);
  };
  collect(file);
  return [...found.values()];
}

/** Lines that hold nothing but comment. */
function linesOfTheirOwn(comments, text, lineOf) {
  const lines = text.split('\n');
  const owned = comments.filter(({ pos }) => lines[lineOf(pos) - 1].trimStart().startsWith('/'));
  return owned.reduce((sum, { pos, end }) => sum + lineOf(end) - lineOf(pos) + 1, 0);
}
