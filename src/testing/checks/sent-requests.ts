import assert from 'node:assert/strict';
import { mediaTypeOf } from '../../http/media-type.js';
import { parseJson } from '../../http/parse-json.js';
import { readEvent, verifiedRequest } from '../../ingress/read-event.js';
import { headersOf, type RawHeaders } from '../../ingress/signatures/headers.js';
import { verifySignature } from '../../ingress/signatures/verify-signature.js';
import type { Connection, ProviderEvent, VerifiedRequest, WebhookTransport } from '../../plugin/index.js';
import type { SampleRequest } from '../samples.js';
import type { UnderTest } from '../under-test.js';

/** A request as it arrives. */
export interface Sent {
  readonly rawHeaders: RawHeaders;
  readonly body: Buffer;
  readonly url: string;
  readonly nowMs: number;
  /** In place of those that verify. */
  readonly secrets?: readonly string[];
}

export type Verdict = 'ok' | 'missing' | 'invalid' | 'timestamp' | 'unreadable';

export function sent({ headers, body, url, sentAt = Date.now() }: SampleRequest): Sent {
  return {
    rawHeaders: Object.entries(headers),
    body: Buffer.from(body),
    url: url ?? 'https://hooks.example.test/v1/events/default/sample',
    nowMs: sentAt,
  };
}

export async function webhookOf(under: UnderTest): Promise<WebhookTransport> {
  const { transports } = await under.provider();
  const webhook = transports.find((transport) => transport.kind === 'webhook');
  return webhook ?? assert.fail('the plugin receives webhooks, and its provider has no such transport');
}

/** As the host verifies it. */
export async function verdictOn(webhook: WebhookTransport, connection: Connection, request: Sent): Promise<Verdict> {
  const { rawHeaders, body, url, nowMs } = request;
  const signature = webhook.signature(connection);
  if ('verify' in signature) {
    const secrets = request.secrets ?? connection.secrets;
    const verdict = await signature.verify({ headers: headersOf(rawHeaders), body, url, secrets, nowMs });
    return verdict.ok ? 'ok' : verdict.reason;
  }
  const secrets = request.secrets ?? signature.keys ?? connection.secrets;
  const verification = verifySignature(signature, { rawHeaders, body, url, secrets, nowSeconds: nowMs / 1000 });
  return verification.ok ? 'ok' : verification.reason;
}

/** As plugins see it once it is verified. */
export function verified({ rawHeaders, body, url }: Sent): VerifiedRequest {
  const type = rawHeaders.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const contentType = mediaTypeOf(type) === 'form' ? 'form' : 'json';
  return verifiedRequest({ rawHeaders, body, url, contentType, isLocal: false, readJson: () => parseJson(body) });
}

/** The events of a request, as the host reads them; none where it is a handshake. */
export function eventsIn(webhook: WebhookTransport, connection: Connection, request: Sent): readonly ProviderEvent[] {
  const read = readEvent(webhook, verified(request), connection);
  if ('handshake' in read) return [];
  return 'events' in read ? read.events : [read.event];
}
