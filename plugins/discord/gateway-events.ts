import { createHash } from 'node:crypto';
import type { ProviderEvent } from 'throughline/plugin';
import { interactionDelivery } from './discord.webhook.js';
import { interactionKey } from './interaction-events.js';
import { type Fields, fields, snowflake, word } from './json.js';

/** What a dispatch of the gateway is to the host, in most cases nothing. */
export function eventsOf(name: string, data: unknown): ProviderEvent[] {
  const body = fields(data);
  const read = body && READERS[name];
  return read ? read(body).filter((event) => event !== undefined) : [];
}

const READERS: Readonly<Record<string, (body: Fields) => (ProviderEvent | undefined)[]>> = {
  MESSAGE_CREATE: (message) => [messageEvent(message)],
  MESSAGE_UPDATE: (message) => [editEvent(message)],
  MESSAGE_DELETE: (message) => [eventOf('message.deleted', message, `message.${message.id}.deleted`)],
  MESSAGE_DELETE_BULK: ({ ids, ...place }) =>
    (Array.isArray(ids) ? ids : []).map((id) => eventOf('message.deleted', { ...place, id }, `message.${id}.deleted`)),
  THREAD_CREATE: (thread) => [thread.newly_created === true ? eventOf('thread.created', thread, `thread.${thread.id}.created`) : undefined],
  // A thread has no revision: what it looked like is what identifies the event, also when it is told again.
  THREAD_UPDATE: (thread) => [eventOf('thread.updated', thread, `thread.${thread.id}.updated.${digestOf(thread)}`)],
  THREAD_DELETE: (thread) => [eventOf('thread.deleted', thread, `thread.${thread.id}.deleted`)],
  INTERACTION_CREATE: (body) => [eventOf(interactionKey(body), body, interactionDelivery(String(body.id)))],
};

/** A message, from the gateway or from the history of its channel. */
export function messageEvent(message: Fields): ProviderEvent | undefined {
  return eventOf('message.created', message, `message.${message.id}`);
}

/** Previews of links, pins and threads change a message that nobody edited: those have no time of an edit. */
function editEvent(message: Fields): ProviderEvent | undefined {
  const edited = word(message.edited_timestamp);
  return edited ? eventOf('message.edited', message, `message.${message.id}.edited.${edited}`) : undefined;
}

/**
 * The id is all that identifies it. The rest differs between the ways that it comes by: the gateway says more of the author than the
 * history does.
 */
function eventOf(eventKey: string, payload: Fields, deliveryId: string): ProviderEvent | undefined {
  return snowflake(payload.id) ? { deliveryId, eventKey, payload, uniqueContent: deliveryId } : undefined;
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
