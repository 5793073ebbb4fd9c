import { plainToInstance } from 'class-transformer';
import type { Connection, Headers, Parsed, VerifiedRequest } from 'throughline/plugin';
import { WebhookConnection } from '../../../plugins/webhook/webhook.options.js';
import { MappedSubjects } from '../../../plugins/webhook/webhook.subjects.js';
import { MappedWebhook } from '../../../plugins/webhook/webhook.transport.js';
import { fixtureText } from '../golden.js';

export const webhook = new MappedWebhook();
export const subjects = new MappedSubjects();

export function connection(options: object = {}): Connection<WebhookConnection> {
  return { name: 'desk', org: 'default', source: 'public', secrets: ['a secret'], options: plainToInstance(WebhookConnection, options) };
}

export function request(payload: unknown, headers: Headers = {}): VerifiedRequest {
  return { headers, body: Buffer.from(JSON.stringify(payload)), payload, contentType: 'json' };
}

/** What becomes of a request that is one event. */
export function read(sent: VerifiedRequest, options: object): { id: string | null; key: string; parsed: Parsed } {
  const at = connection(options);
  const key = webhook.eventKey(sent, at);
  return { id: webhook.deliveryId(sent, at), key, parsed: subjects.parse({ connection: at, eventKey: key, payload: sent.payload }) };
}

export function parse(payload: unknown, options: object): Parsed {
  return read(request(payload), options).parsed;
}

interface Recorded {
  readonly extraHeaders?: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A recorded request of a sender. */
export function recorded(name: string): VerifiedRequest {
  const { extraHeaders = {}, body } = JSON.parse(fixtureText(name)) as Recorded;
  return request(body, extraHeaders);
}

export function cloudEvent(name: string): VerifiedRequest {
  const { headers, body } = JSON.parse(fixtureText(`cloudevents/${name}.json`)) as { headers: Headers; body: unknown };
  return request(body, headers);
}
