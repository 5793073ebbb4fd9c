import { createHmac } from 'node:crypto';
import type { AuthenticEvent, Connection, Headers, Parsed, VerifiedRequest } from 'throughline/plugin';
import type { LinearConnection } from '../../../plugins/linear/linear.options.js';
import { LinearSubjects } from '../../../plugins/linear/linear.subjects.js';
import { LinearWebhook } from '../../../plugins/linear/linear.webhook.js';
import { fixtureText } from '../golden.js';

export const SECRET = 'linear-webhook-signing-secret';
export const webhook = new LinearWebhook();
export const subjects = new LinearSubjects();

export type Json = Record<string, unknown>;

export function connection(options: LinearConnection = {}): Connection<LinearConnection> {
  return { name: 'linear', org: 'default', source: 'private', secrets: [SECRET], options };
}

export function linearFixture(name: string): Json & { data: Json; updatedFrom: Json } {
  return JSON.parse(fixtureText(`linear/constructed/${name}.json`));
}

export function request(payload: unknown, headers: Headers = {}): VerifiedRequest {
  const body = Buffer.from(JSON.stringify(payload));
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  return {
    headers: { 'linear-signature': signature, 'linear-delivery': '234d1a4e-b617-4388-90fe-adc3633d6b72', ...headers },
    body,
    payload,
    contentType: 'json',
  };
}

export function parse(payload: unknown, options: LinearConnection = {}): Parsed {
  const event: AuthenticEvent<LinearConnection> = {
    connection: connection(options),
    eventKey: webhook.eventKey(request(payload)),
    payload,
  };
  return subjects.parse(event);
}

/** An `Issue.update` of the recorded issue with other properties and other changes. */
export function issueUpdate(data: Json, updatedFrom: Json): Json {
  const recorded = linearFixture('issue.update.title');
  return { ...recorded, data: { ...recorded.data, ...data }, updatedFrom };
}
