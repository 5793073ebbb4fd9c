import { createHash } from 'node:crypto';
import { fields, word } from './json.js';

/**
 * What an event is known by, the same over HTTP and over a socket. A retry keeps its event_id; that it is one is no reason to drop it, since
 * the first try may never have been committed. Interactions, commands and notices about the app have no id: what they say identifies them.
 */
export function deliveryIdOf(payload: unknown): string | null {
  const body = fields(payload);
  if (body?.type === 'event_callback') return word(body.event_id) ?? null;
  return `sha256:${createHash('sha256').update(canonical(payload)).digest('hex')}`;
}

/** What never differs between the copies of an event: over a socket it comes in other bytes, and for whom it is sent may be said anew. */
export function contentOf(payload: unknown): string {
  const body = fields(payload);
  return canonical(body?.type === 'event_callback' ? { event: body.event, event_id: body.event_id } : payload);
}

/** JSON with the fields of every object in one order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    const object = fields(inner);
    return object ? Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) : inner;
  });
}
