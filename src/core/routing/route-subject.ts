import type { Subject } from '../../plugin/index.js';
import type { Expression, RoutableEvent, Route } from './route.js';
import { subjectFault } from './subject-fault.js';

export type RoutedSubject =
  | { readonly subject: Subject; readonly noSubject: null }
  /** One of `no_subject`, `subject_not_scalar`, `subject_unsafe_number`, `subject_blank`, `subject_too_long`, `subject_malformed`. */
  | { readonly subject: null; readonly noSubject: string };

/** The subject of an event for a route: by the route's expression where it has one, which then alone decides, else by the parser. */
export function routedSubject(route: Route, event: RoutableEvent): RoutedSubject {
  const found = route.subject === null ? event.parsed.subject : subjectByExpression(route.subject, event);
  if (found === null) return none('no_subject');
  if (typeof found === 'string') return none(found);
  const fault = subjectFault(found);
  return fault === null ? { subject: found, noSubject: null } : none(fault);
}

function subjectByExpression(expression: Expression, event: RoutableEvent): Subject | string | null {
  const value = expression.evaluate(event.payload);
  if (value === null) return null;
  const namespace = `custom:${event.source}`;
  if (typeof value === 'string') return { namespace, key: value };
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'subject_not_scalar';
  // Beyond 2^53 different ids of the sender read as the same number.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return 'subject_unsafe_number';
  return { namespace, key: String(value) };
}

function none(reason: string): RoutedSubject {
  return { subject: null, noSubject: reason };
}
