import { compile } from '@jmespath-community/jmespath';
import { InvalidInput } from '../errors.js';
import { type ExpressionNode, interpreter } from './bounded-interpreter.js';
import { checkExpression } from './check-expression.js';

const MAX_LENGTH = 4_000;

/** A JMESPath expression, compiled. */
export interface Expression {
  readonly source: string;
  /** Bounded in time; a payload can't make it throw: what cannot be computed is null. */
  evaluate(payload: unknown): unknown;
}

/**
 * Compiles a JMESPath expression, once. Beside the standard functions there are `glob(text, pattern)`, `regex(text, pattern)` and
 * `icontains(text, part)`.
 * Names mean own properties of the payload only. Throws `InvalidInput` for what does not parse, is too large, or calls a function wrongly.
 */
export function compileExpression(source: string): Expression {
  const root = parse(source);
  return { source, evaluate: (payload) => evaluate(root, payload) };
}

/** What is wrong with an expression, or null. */
export function expressionFault(source: string): string | null {
  try {
    parse(source);
    return null;
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
}

/** JMESPath's truth, but for a final 0, which does not let an event through: `length(labels)` asks for labels. */
export function isTruthy(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function parse(source: string): ExpressionNode {
  if (source.trim() === '') throw new InvalidInput('is empty');
  if (source.length > MAX_LENGTH) throw new InvalidInput(`is longer than ${MAX_LENGTH} characters`);
  const root = parsed(source);
  checkExpression(root);
  return root;
}

function parsed(source: string): ExpressionNode {
  try {
    // The lexer takes a quote that nobody closes for closed at the end; within parentheses it swallows the last of them.
    compile(`(${source})`);
    return compile(source);
  } catch (cause) {
    throw new InvalidInput(`does not parse: ${parserMessage(cause)}`, [], { cause });
  }
}

/** The parser reads past the end of some broken texts, and then fails with errors that mean nothing to a writer. */
function parserMessage(cause: unknown): string {
  const isParserMessage = cause instanceof Error && !(cause instanceof TypeError) && !(cause instanceof RangeError);
  return isParserMessage ? cause.message.replace(/^Syntax error[:,] /, '') : 'it ends too early or is nested too deeply';
}

function evaluate(root: ExpressionNode, payload: unknown): unknown {
  try {
    return interpreter.evaluate(root, payload) ?? null;
  } catch {
    // A wrong type, a division by zero or too much work: the payload does not have what the expression asks for.
    return null;
  }
}
