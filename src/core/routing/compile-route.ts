import { compilePattern, patternFault } from '../../plugin/expressions/event-pattern.js';
import { compileExpression, expressionFault } from '../../plugin/expressions/expression.js';
import { type Fault, InvalidInput } from '../../plugin/index.js';
import type { EventPattern, Expression, Route } from './route.js';

/** A route as it is written: the patterns and expressions of `Route` are still text. Durations are milliseconds, defaults are filled in. */
export type RouteSpec = {
  readonly [Field in keyof Route]: Route[Field] extends readonly EventPattern[]
    ? readonly string[]
    : Route[Field] extends Expression | null
      ? string | null
      : Route[Field];
};

/** Throws `InvalidInput` with every fault of the route, each with its path in it (`on[0]`, `filter`). */
export function compileRoute(spec: RouteSpec): Route {
  const faults = routeFaults(spec);
  if (faults.length > 0)
    throw new InvalidInput(`route ${spec.name} is wrong: ${faults.map(({ path, message }) => `${path} ${message}`).join('; ')}`, faults);
  return {
    ...spec,
    on: spec.on.map(compilePattern),
    filter: compiled(spec.filter),
    subject: compiled(spec.subject),
    text: compiled(spec.text),
  };
}

function routeFaults(spec: RouteSpec): Fault[] {
  const patterns = spec.on.map((source, index) => ({ path: `on[${index}]`, message: patternFault(source) }));
  const expressions = (['filter', 'subject', 'text'] as const).map((path) => {
    const source = spec[path];
    return { path, message: source === null ? null : expressionFault(source) };
  });
  return [...patterns, ...expressions].flatMap(({ path, message }) => (message === null ? [] : [{ path, message }]));
}

function compiled(source: string | null): Expression | null {
  return source === null ? null : compileExpression(source);
}
