import { isTruthy } from '../../plugin/expressions/expression.js';
import { storable } from '../storable.js';
import { authorRefusal } from './author-policy.js';
import { boundedJson } from './bounded-json.js';
import type { NoMatch, NoMatchReason, RoutableEvent, Route, Verdict } from './route.js';
import { routedSubject } from './route-subject.js';
import { routedText } from './route-text.js';

const MAX_DETAIL = 400;
const MAX_VALUE_BYTES = 100;

/** Whether a route takes an event: what it makes of it, or the first reason why not. Pure; never throws, whatever the payload holds. */
export function matchRoute(route: Route, event: RoutableEvent, textOf: typeof routedText = routedText): Verdict {
  if (route.org !== event.org || route.source !== event.source) {
    return refuse(route, 'source', `the event came from ${event.org}/${event.source}, the route looks at ${route.org}/${route.source}`);
  }
  const { endpoint = 'no place' } = event.parsed;
  if (route.endpoint !== null && route.endpoint !== endpoint) {
    return refuse(route, 'endpoint', `the event came from ${endpoint}, the route looks at ${route.endpoint}`);
  }
  if (!route.on.some((pattern) => pattern.matches(event.eventKey))) {
    return refuse(route, 'event_key', `${event.eventKey} matches none of ${route.on.map(({ source }) => source).join(', ')}`);
  }
  const value = route.filter?.evaluate(event.payload);
  if (route.filter !== null && !isTruthy(value)) return refuse(route, 'filter', `the filter ${route.filter.source} gave ${shown(value)}`);
  const refusal = authorRefusal(route.authors, event.parsed.author);
  if (refusal !== null) return refuse(route, refusal.reason, refusal.detail);
  return { matched: true, route, ...routedSubject(route, event), text: textOf(route, event) };
}

/**
 * The verdicts of all routes that could take the event, in the order of the file. Routes of another organisation are never among them,
 * those of another source only where somebody asks about every route.
 */
export function matchRoutes(routes: readonly Route[], event: RoutableEvent, ask: 'source' | 'every' = 'source'): Verdict[] {
  const candidates = routes.filter((route) => route.org === event.org && (ask === 'every' || route.source === event.source));
  return candidates.map((route) => matchRoute(route, event));
}

function refuse(route: Route, reason: NoMatchReason, detail: string): NoMatch {
  return { matched: false, route: route.name, reason, detail: storable(detail, MAX_DETAIL) };
}

function shown(value: unknown): string {
  const { text, cut } = boundedJson(value, MAX_VALUE_BYTES);
  return cut ? `${text}…` : text;
}
