import type { IncomingEvent } from '../../core/admission/event.js';
import type { ProviderEvent } from '../../plugin/index.js';
import { nestsTooDeepValue } from '../form.js';
import { InvalidPayload } from '../ingress-errors.js';
import { type Parsing, parseEvent } from '../parse-event.js';
import { identifier } from '../read-event.js';

/** An event that a plugin made out, through the same door as a webhook. Throws `InvalidPayload`; nothing of it is stored then. */
export function incomingEvent(spec: Parsing, event: ProviderEvent): IncomingEvent {
  const { connection, provider } = spec;
  const { payload } = event;
  if (nestsTooDeepValue(payload)) throw new InvalidPayload('The event nests too many levels deep.');
  const read = { deliveryId: identifier('delivery id', event.deliveryId), eventKey: identifier('event key', event.eventKey), payload };
  return {
    ...{ org: connection.org, source: connection.name, provider, connection },
    ...read,
    body: event.body ?? asJson(payload),
    parsed: parseEvent(spec, read),
    uniqueContent: event.uniqueContent ?? null,
    secretIndex: null,
    isCopy: event.isCopy ?? false,
  };
}

function asJson(payload: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(payload));
  } catch (cause) {
    throw new InvalidPayload('The payload of the event is not JSON.', [], { cause });
  }
}
