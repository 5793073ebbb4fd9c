import { type InputSignature, TYPE_EXPREF } from '@jmespath-community/jmespath';
import { InvalidInput } from '../errors.js';
import { type ExpressionNode, interpreter } from './bounded-interpreter.js';
import { isRecord } from './budget.js';
import { patternFault } from './event-pattern.js';
import { regexFault } from './regex.js';

const MAX_NODES = 1_000;
const MAX_DEPTH = 100;

/** What is wrong with the second argument of some functions, or null. */
const PATTERNS: Readonly<Record<string, (pattern: string) => string | null>> = { glob: patternFault, regex: regexFault };

type FunctionNode = Extract<ExpressionNode, { type: 'Function' }>;

/** Refuses what would only fail, or never end, when an event comes. Throws `InvalidInput`. */
export function checkExpression(root: ExpressionNode): void {
  let nodes = 0;
  const check = (node: ExpressionNode, depth: number): void => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new InvalidInput(`has more than ${MAX_NODES} parts`);
    if (depth > MAX_DEPTH) throw new InvalidInput(`is nested more than ${MAX_DEPTH} levels deep`);
    checkNode(node);
    for (const child of childrenOf(node)) {
      if (node.type !== 'Function') checkStandsAlone(child);
      check(child, depth + 1);
    }
  };
  checkStandsAlone(root);
  check(root, 0);
}

/** Names of all functions that expressions may call, in order. */
export function functionNames(): string[] {
  return Object.keys(interpreter.runtime._functionTable).sort();
}

function checkStandsAlone(node: ExpressionNode): void {
  if (node.type === 'ExpressionReference') throw new InvalidInput('has an &expression that is no argument of a function');
}

function checkNode(node: ExpressionNode): void {
  switch (node.type) {
    case 'Function':
      checkFunction(node);
      return;
    case 'Binding':
      throw new InvalidInput('has a single =; write == to compare');
    case 'LetExpression':
    case 'Variable':
      throw new InvalidInput('uses let and $variables, which are not supported; write the value where it is needed');
    case 'Slice':
      if (node.step === 0) throw new InvalidInput('has a slice with step 0');
      return;
    default:
      return;
  }
}

function checkFunction(node: FunctionNode): void {
  const { name, children } = node;
  const table = interpreter.runtime._functionTable;
  const signature = Object.hasOwn(table, name) ? table[name]?._signature : undefined;
  if (signature === undefined) throw new InvalidInput(`calls ${name}(), which does not exist`);
  checkArity(name, children.length, signature);
  for (const [index, child] of children.entries()) checkArgument(name, index, child, signature);
  const pattern = children[1];
  if (pattern?.type !== 'Literal' || typeof pattern.value !== 'string') return;
  const fault = PATTERNS[name]?.(pattern.value) ?? null;
  if (fault !== null) throw new InvalidInput(`calls ${name}() with a pattern that ${fault}`);
}

function checkArity(name: string, given: number, signature: readonly InputSignature[]): void {
  const least = signature.filter((argument) => argument.optional !== true).length;
  const most = signature.at(-1)?.variadic === true ? Infinity : signature.length;
  if (given >= least && given <= most) return;
  const expected = most === least ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  throw new InvalidInput(`calls ${name}() with ${given} arguments; it takes ${expected}`);
}

/** An `&expression` stands where a function asks for one and nowhere else, so that no value of a payload can pass for one. */
function checkArgument(name: string, index: number, child: ExpressionNode, signature: readonly InputSignature[]): void {
  const wanted = signature[Math.min(index, signature.length - 1)]?.types.includes(TYPE_EXPREF) === true;
  const given = child.type === 'ExpressionReference';
  if (wanted && !given) throw new InvalidInput(`calls ${name}() with argument ${index + 1} that must be an expression, written &name`);
  if (given && !wanted) throw new InvalidInput(`calls ${name}() with argument ${index + 1} that must be a value, not an &expression`);
}

function childrenOf(node: ExpressionNode): ExpressionNode[] {
  return node.type === 'Literal' ? [] : Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is ExpressionNode {
  return isRecord(value) && typeof value['type'] === 'string';
}
