import { InvalidJson } from '../http/http-errors.js';
import type { Reply, VerifiedRequest, WebhookTransport } from '../plugin/index.js';
import type { ArrivedRequest } from './arrived-request.js';
import { nestsTooDeepValue, parseForm } from './form.js';
import { InvalidPayload } from './ingress-errors.js';
import { headersOf } from './signatures/headers.js';

const LONGEST_ID = 255;

export interface ReadEvent {
  readonly deliveryId: string;
  readonly eventKey: string;
  readonly payload: unknown;
  readonly uniqueContent: string | Buffer | null;
}

/** An authentic request as plugins see it. */
export function verifiedRequest(request: ArrivedRequest): VerifiedRequest {
  return { headers: headersOf(request.rawHeaders), body: request.body, payload: payloadOf(request), contentType: request.contentType };
}

/** What the plugin reads from a request: a handshake that it answers itself, or an event. */
export function readEvent(transport: WebhookTransport, request: VerifiedRequest): { handshake: Reply } | { event: ReadEvent } {
  try {
    const handshake = transport.handshake?.(request) ?? null;
    if (handshake !== null) return { handshake };
    const payload = transport.event ? transport.event(request) : request.payload;
    // What the body's own check has seen is not walked again.
    if (payload !== request.payload && nestsTooDeepValue(payload)) throw new InvalidJson('The event nests too many levels deep.');
    return {
      event: {
        deliveryId: identifier('delivery id', transport.deliveryId(request)),
        eventKey: identifier('event key', transport.eventKey(request)),
        payload,
        uniqueContent: transport.uniqueContent?.(request) ?? null,
      },
    };
  } catch (error) {
    // A plugin that parses a field of a form finds out there that it is no JSON.
    if (error instanceof SyntaxError) throw new InvalidJson('A field of the body should be JSON and is not.', [], { cause: error });
    throw error;
  }
}

function payloadOf({ contentType, readJson, body }: ArrivedRequest): unknown {
  if (contentType === 'form') {
    const fields = parseForm(body);
    if (fields === null) throw new InvalidPayload('The form is not well-formed UTF-8.');
    return fields;
  }
  const reading = readJson();
  if (!reading.ok) throw new InvalidJson(reading.problem);
  return reading.value;
}

/** Names are compared as stored text: what a database would refuse or change is refused here. */
export function identifier(what: string, value: string | null): string {
  if (value === null || value === '') throw new InvalidPayload(`The request has no ${what}.`);
  // No code point is longer than two units, so that a text of megabytes is not spread out to be counted.
  if (value.length > 2 * LONGEST_ID || (value.length > LONGEST_ID && [...value].length > LONGEST_ID))
    throw new InvalidPayload(`The ${what} is longer than ${LONGEST_ID} characters.`);
  if (value.includes('\0') || !value.isWellFormed()) throw new InvalidPayload(`The ${what} holds NUL or half a character.`);
  return value;
}
