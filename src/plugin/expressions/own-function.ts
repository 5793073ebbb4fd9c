import {
  type InputSignature,
  type JSONValue,
  TYPE_ARRAY,
  TYPE_ARRAY_NUMBER,
  TYPE_ARRAY_STRING,
  TYPE_EXPREF,
  TYPE_NUMBER,
  TYPE_STRING,
} from '@jmespath-community/jmespath';
import type { Budget } from './budget.js';

export type Arguments = readonly unknown[];

export interface FunctionContext {
  readonly budget: Budget;
  /** Evaluates the expression behind `&`, which a function was given, on a value. */
  evaluate(expression: ExpressionArgument, value: unknown): unknown;
}

/** The expression of an `&expression` argument; only the interpreter looks inside. */
export type ExpressionArgument = JSONValue & { readonly expref: true };

export interface OwnFunction {
  readonly signature: readonly InputSignature[];
  readonly call: (args: Arguments, context: FunctionContext) => unknown;
}

/** `Args` says in types what the signature says to the library, which checks it before each call. */
export function ownFunction<Args extends Arguments>(
  signature: readonly InputSignature[],
  call: (args: Args, context: FunctionContext) => unknown,
): OwnFunction {
  return { signature, call: (args, context) => call(args as Args, context) };
}

export const text: InputSignature = { types: [TYPE_STRING] };
export const optionalText: InputSignature = { types: [TYPE_STRING], optional: true };
export const optionalNumber: InputSignature = { types: [TYPE_NUMBER], optional: true };
export const list: InputSignature = { types: [TYPE_ARRAY] };
export const scalars: InputSignature = { types: [TYPE_ARRAY_STRING, TYPE_ARRAY_NUMBER] };
export const expression: InputSignature = { types: [TYPE_EXPREF] };
