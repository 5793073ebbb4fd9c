import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AuthenticEvent, Connection, Parsed, VerifiedRequest } from 'throughline/plugin';
import { GithubConnection } from '../../../plugins/github/github.options.js';
import { GithubSubjects } from '../../../plugins/github/github.subjects.js';
import { GithubWebhook } from '../../../plugins/github/github.webhook.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/github/', import.meta.url));

/** Names of all recorded bodies, for example `issues/opened.3.json`. */
export const bodies: readonly string[] = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.includes('/') && /\.(json|txt)$/.test(file))
  .sort();

export function connection(options: Partial<GithubConnection> = {}): Connection<GithubConnection> {
  return { name: 'github', org: 'default', source: 'public', secrets: ['s'], options: Object.assign(new GithubConnection(), options) };
}

/** A body as the host hands it over: verified and read. */
export function delivery(file: string, headers: VerifiedRequest['headers'] = {}): VerifiedRequest {
  const body = readFileSync(join(FIXTURES, file));
  const form = file.endsWith('.txt');
  const payload: unknown = form ? Object.fromEntries(new URLSearchParams(body.toString())) : JSON.parse(body.toString());
  const [folder = '', name = ''] = file.split('/');
  const event = folder === '_constructed' ? name.split('.')[0] : folder;
  return {
    headers: { 'x-github-event': event, 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958', ...headers },
    body,
    payload,
    contentType: form ? 'form' : 'json',
  };
}

export function json(headers: VerifiedRequest['headers'], payload: unknown): VerifiedRequest {
  return { headers, payload, body: Buffer.from(JSON.stringify(payload) ?? ''), contentType: 'json' };
}

/** From the request to the parsed event, as the host does it. */
export function read(request: VerifiedRequest, options: Partial<GithubConnection> = {}): { eventKey: string; parsed: Parsed } {
  const webhook = new GithubWebhook();
  const eventKey = webhook.eventKey(request);
  return { eventKey, parsed: parse({ connection: connection(options), eventKey, payload: webhook.event(request) }) };
}

export function parse(event: AuthenticEvent<GithubConnection>): Parsed {
  return new GithubSubjects().parse(event);
}

export type Payload = { [name: string]: unknown };

/** A recorded body with some values set by dotted path; `undefined` takes a value away. */
export function changed(file: string, changes: Payload): VerifiedRequest {
  const request = delivery(file);
  const payload = structuredClone(request.payload) as Payload;
  for (const [path, value] of Object.entries(changes)) set(payload, path.split('.'), value);
  return { ...request, payload, body: Buffer.from(JSON.stringify(payload)) };
}

function set(target: Payload, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length > 0) {
    const inner = (target[name] ?? {}) as Payload;
    target[name] = inner;
    set(inner, rest, value);
  } else if (value === undefined) delete target[name];
  else target[name] = value;
}
