import { InvalidJson } from '../http/http-errors.js';
import {
  type Connection,
  InvalidInput,
  type ProviderEvent,
  type Reply,
  type VerifiedRequest,
  type WebhookTransport,
} from '../plugin/index.js';
import type { ArrivedRequest } from './arrived-request.js';
import { nestsTooDeepValue, parseForm } from './form.js';
import { InvalidPayload } from './ingress-errors.js';
import { headersOf } from './signatures/headers.js';

const LONGEST_ID = 255;
const MOST_EVENTS = 1000;

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

/** A handshake that the plugin answers itself, the event that the request is, or those that are in it. */
export type Reading = { readonly handshake: Reply } | { readonly event: ReadEvent } | { readonly events: readonly ProviderEvent[] };

/** What the plugin reads from a request. */
export function readEvent(transport: WebhookTransport, request: VerifiedRequest, connection: Connection): Reading {
  try {
    const handshake = transport.handshake?.(request, connection) ?? null;
    if (handshake !== null) return { handshake };
    const events = transport.events?.(request, connection) ?? null;
    if (events === null) return { event: readOne(transport, request, connection) };
    if (events.length > MOST_EVENTS) throw new InvalidPayload(`The request carries ${events.length} events; ${MOST_EVENTS} are the most.`);
    return { events };
  } catch (error) {
    // A plugin that parses a field of a form finds out there that it is no JSON.
    if (error instanceof SyntaxError) throw new InvalidJson('A field of the body should be JSON and is not.', [], { cause: error });
    if (error instanceof InvalidInput && error.code === 'invalid_input')
      throw new InvalidPayload(error.message, error.faults, { cause: error });
    throw error;
  }
}

function readOne(transport: WebhookTransport, request: VerifiedRequest, connection: Connection): ReadEvent {
  const payload = transport.event ? transport.event(request, connection) : request.payload;
  // What the body's own check has seen is not walked again.
  if (payload !== request.payload && nestsTooDeepValue(payload)) throw new InvalidJson('The event nests too many levels deep.');
  return {
    deliveryId: identifier('delivery id', transport.deliveryId(request, connection)),
    eventKey: identifier('event key', transport.eventKey(request, connection)),
    payload,
    uniqueContent: transport.uniqueContent?.(request, connection) ?? null,
  };
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
