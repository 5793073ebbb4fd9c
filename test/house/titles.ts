import ts from 'typescript';
import { nodesOf, parse, readSources } from '../../scripts/house/sources.mjs';

export interface Title {
  readonly file: string;
  readonly title: string;
}

const FUNCTIONS = ['it', 'test', 'describe'];

/** The titles of all tests and their groups under a folder, also those of `it.each(…)(…)` and of functions that make a group on each database. */
export function titlesOf(folder: string): Title[] {
  return [...readSources([folder])].flatMap(([file, text]) => [...titlesIn(file, text)].map((title) => ({ file, title })));
}

function* titlesIn(file: string, text: string): Generator<string> {
  for (const node of nodesOf(parse(file, text))) {
    if (!ts.isCallExpression(node) || !isTest(node.expression)) continue;
    const [title] = node.arguments;
    if (title && ts.isStringLiteralLike(title)) yield title.text;
    else if (title && ts.isTemplateExpression(title))
      yield [title.head.text, ...title.templateSpans.map((span) => span.literal.text)].join('…');
  }
}

function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return FUNCTIONS.includes(callee.text) || callee.text.startsWith('each');
  return ts.isCallExpression(callee) || ts.isTaggedTemplateExpression(callee)
    ? isEach(ts.isCallExpression(callee) ? callee.expression : callee.tag)
    : false;
}

function isEach(callee: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(callee) && callee.name.text === 'each' && isTest(callee.expression);
}
