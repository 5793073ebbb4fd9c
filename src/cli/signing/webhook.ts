import { randomUUID } from 'node:crypto';
import { signRequest } from '../../ingress/signatures/sign-request.js';
import { InvalidInput, type SignatureScheme, schemeFrom } from '../../plugin/index.js';
import { UsageFault } from '../usage-fault.js';
import type { RequestToSign, SignedRequest } from './request.js';

/** How a sender of webhooks without a plugin of its own makes its requests. */
export interface WebhookSender {
  readonly scheme: SignatureScheme;
  /** Headers with the id of the delivery and the kind of event; null: they are in the body, or nowhere. */
  readonly idHeader: string | null;
  readonly eventHeader: string | null;
  readonly isCloudEvents: boolean;
}

/** Where senders with a preset put what is not in their bodies. */
const PRESET_HEADERS: Readonly<Record<string, { readonly id: string; readonly event?: string }>> = {
  'gitlab-token': { id: 'idempotency-key' },
  sentry: { id: 'request-id', event: 'sentry-hook-resource' },
  bitbucket: { id: 'x-request-uuid', event: 'x-event-key' },
  shopify: { id: 'x-shopify-webhook-id', event: 'x-shopify-topic' },
};

/** The sender that a connection of the plugin `webhook` describes. Throws `UsageFault` for a signature that there is not. */
export function webhookSender(options: Readonly<Record<string, unknown>>): WebhookSender {
  const { signature = 'hmac-sha256-hex', signatureHeader, format } = options;
  const preset = typeof signature === 'string' && Object.hasOwn(PRESET_HEADERS, signature) ? PRESET_HEADERS[signature] : undefined;
  return {
    scheme: schemeNamed(signature, typeof signatureHeader === 'string' ? signatureHeader : undefined),
    idHeader: headerIn(options.deliveryId) ?? (options.deliveryId === undefined ? (preset?.id ?? null) : null),
    eventHeader: headerIn(options.eventKey) ?? (options.eventKey === undefined ? (preset?.event ?? null) : null),
    isCloudEvents: format === 'cloudevents',
  };
}

/** `url`: as the server knows it, which some schemes sign. */
export function signWebhook(
  { scheme, idHeader, eventHeader, isCloudEvents }: WebhookSender,
  { body: bytes, secret, event, deliveryId = randomUUID(), now = Date.now() }: RequestToSign,
  url: string,
): SignedRequest {
  const { headers, body } = signRequest(scheme, { body: Buffer.from(bytes), secret, url, id: deliveryId, nowMs: now });
  return {
    headers: {
      'content-type': isCloudEvents ? cloudEventsType(body) : 'application/json',
      'user-agent': 'throughline',
      ...(idHeader !== null && { [idHeader]: deliveryId }),
      ...(eventHeader !== null && event !== undefined && { [eventHeader]: event }),
      ...headers,
    },
    body,
  };
}

function schemeNamed(signature: unknown, header: string | undefined): SignatureScheme {
  try {
    return schemeFrom(signature, 'signature', header);
  } catch (error) {
    if (error instanceof InvalidInput) throw new UsageFault(error.message);
    throw error;
  }
}

/** The first header that a part of a connection's option names. */
function headerIn(option: unknown): string | null {
  for (const part of [option].flat()) {
    const header = typeof part === 'object' && part !== null && 'header' in part ? [part.header].flat()[0] : undefined;
    if (typeof header === 'string') return header.toLowerCase();
  }
  return null;
}

function cloudEventsType(body: Buffer): string {
  return `application/cloudevents${body.toString().trimStart().startsWith('[') ? '-batch' : ''}+json`;
}
