import { storable } from '../storable.js';
import { boundedJson } from './bounded-json.js';
import type { RoutableEvent, Route } from './route.js';

/** Bytes of a payload that stands for a message. */
const MAX_PAYLOAD_BYTES = 16 * 1024;

/**
 * What the agent is told: the route's expression where it gives text, else what the parser found, else the payload itself.
 * A lifecycle event tells it nothing.
 */
export function routedText(route: Route, event: RoutableEvent): string {
  if (event.parsed.kind === 'lifecycle') return '';
  const text = expressedText(route, event) ?? ('text' in event.parsed ? event.parsed.text : '');
  return text.trim() === '' ? payloadAsText(event) : storable(text, Infinity);
}

/** What the route's own expression makes of it; null: it has none, or no text comes of it. */
export function expressedText(route: Route, event: RoutableEvent): string | null {
  const value = route.text?.evaluate(event.payload);
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return storable(String(value), Infinity).trim() || null;
}

export function payloadAsText(event: RoutableEvent): string {
  return `New event ${event.eventKey} from ${event.source}:\n\n${fenced(event.payload)}`;
}

/** A value as people read it, of which no part can end its fence. */
export function fenced(value: unknown): string {
  const { text, cut } = boundedJson(value, MAX_PAYLOAD_BYTES);
  const fence = fenceFor(text);
  const note = cut ? `\n(The payload is longer; this is its first ${MAX_PAYLOAD_BYTES / 1024} KB.)` : '';
  return `${fence}json\n${storable(text, Infinity)}\n${fence}${note}`;
}

/** A fence that nothing in the text can close. */
function fenceFor(text: string): string {
  const longest = Math.max(0, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  return '`'.repeat(Math.max(3, longest + 1));
}
