import type { JSONValue, TreeInterpreter } from '@jmespath-community/jmespath';
import type { Budget } from './budget.js';
import { listFunctions } from './list-functions.js';
import type { Arguments, FunctionContext } from './own-function.js';
import { textFunctions } from './text-functions.js';

type Runtime = (typeof TreeInterpreter)['runtime'];

/** Bounds every function of the library, replaces those that can't be bounded or are wrong there, and adds ours. */
export function installFunctions(runtime: Runtime, context: FunctionContext): void {
  for (const [name, { signature, call }] of Object.entries({ ...textFunctions, ...listFunctions })) {
    const bare = (args: Arguments): JSONValue => call(args, context) as JSONValue;
    runtime.registerFunction(name, bare, [...signature], { override: true });
  }
  for (const name of runtime.getRegistered()) bound(runtime, name, context.budget);
}

/** Lets the function run only once its work is paid for: going over its arguments, and what is known of it beyond that. */
function bound(runtime: Runtime, name: string, budget: Budget): void {
  const entry = runtime._functionTable[name];
  if (entry === undefined) return;
  const unbound = entry._func;
  entry._func = (args: Arguments): JSONValue => {
    for (const argument of args) budget.spendShallow(argument);
    extraCosts[name]?.(args, budget);
    return unbound.call(runtime, [...args]) as JSONValue;
  };
}

type ExtraCost = (args: Arguments, budget: Budget) => void;

/** A search for text may compare every character of the one with every character of the other. */
const searching: ExtraCost = ([text, part], budget) => {
  if (typeof text === 'string' && typeof part === 'string') budget.spendText((text.length * part.length) / 64);
};

const byCodePoint: ExtraCost = ([value], budget) => {
  if (typeof value === 'string') budget.spend(value.length);
};

const padding: ExtraCost = ([, width], budget) => budget.spendText(Number(width));

const extraCosts: Readonly<Record<string, ExtraCost>> = {
  contains: searching,
  find_first: searching,
  find_last: searching,
  icontains: searching,
  replace: searching,
  split: searching,
  length: byCodePoint,
  reverse: byCodePoint,
  trim: byCodePoint,
  trim_left: byCodePoint,
  trim_right: byCodePoint,
  pad_left: padding,
  pad_right: padding,
  join: ([separator, parts], budget) => budget.spendText(String(separator).length * (Array.isArray(parts) ? parts.length : 0)),
  to_string: ([value], budget) => budget.spendDeep(value),
};
