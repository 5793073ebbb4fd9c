import { type ExpressionArgument, expression, type FunctionContext, list, type OwnFunction, ownFunction, scalars } from './own-function.js';

type Scalar = string | number;
type By = readonly [elements: readonly unknown[], key: ExpressionArgument];
type Keyed = readonly [key: Scalar, element: unknown];

/** The library's own of these compare numbers as text, compare text by locale, fail on long lists, or read inherited names. */
export const listFunctions: Readonly<Record<string, OwnFunction>> = {
  sort: ownFunction<readonly [readonly Scalar[]]>([scalars], ([values], context) => sorted(pairs(values), context)),
  sort_by: ownFunction<By>([list, expression], (args, context) => sorted(keyed(args, context), context)),
  max: ownFunction<readonly [readonly Scalar[]]>([scalars], ([values]) => extreme(pairs(values), 1)),
  max_by: ownFunction<By>([list, expression], (args, context) => extreme(keyed(args, context), 1)),
  min: ownFunction<readonly [readonly Scalar[]]>([scalars], ([values]) => extreme(pairs(values), -1)),
  min_by: ownFunction<By>([list, expression], (args, context) => extreme(keyed(args, context), -1)),
  group_by: ownFunction<By>([list, expression], (args, context) => {
    const groups = Map.groupBy(keyed(args, context), ([key]) => key);
    return Object.fromEntries([...groups].map(([key, members]) => [text(key), members.map(([, element]) => element)]));
  }),
};

function pairs(values: readonly Scalar[]): Keyed[] {
  return values.map((value) => [value, value]);
}

/** Each key is computed once, however often it is compared. All are strings or all are numbers. */
function keyed([elements, key]: By, { budget, evaluate }: FunctionContext): Keyed[] {
  const pairs = elements.map((element): Keyed => {
    const value = evaluate(key, element);
    if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError('the key is neither text nor a number');
    budget.spendShallow(value);
    return [value, element];
  });
  if (pairs.some(([value]) => typeof value !== typeof pairs[0]?.[0])) throw new TypeError('the keys are of different types');
  return pairs;
}

function sorted(pairs: readonly Keyed[], { budget }: FunctionContext): unknown[] {
  const comparisons = Math.log2(pairs.length + 1);
  for (const [key] of pairs) budget.spend(comparisons * (typeof key === 'string' ? 1 + key.length : 1));
  return pairs.toSorted(([a], [b]) => compare(a, b)).map(([, element]) => element);
}

function extreme(pairs: readonly Keyed[], sign: 1 | -1): unknown {
  const best = pairs.reduce<Keyed | null>((found, pair) => (found === null || compare(pair[0], found[0]) * sign > 0 ? pair : found), null);
  return best === null ? null : best[1];
}

/** Numbers by value, text by code points as JMESPath has it. */
function compare(a: Scalar, b: Scalar): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return byCodePoints(String(a), String(b));
}

function byCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

function text(key: Scalar): string {
  if (typeof key !== 'string') throw new TypeError('group_by() takes keys of text');
  return key;
}
