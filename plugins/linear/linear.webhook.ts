import type { SignatureScheme, VerifiedRequest, WebhookTransport } from 'throughline/plugin';
import { canonicalJson, fields } from './json.js';
import type { LinearConnection } from './linear.options.js';

const HOUR_MS = 60 * 60 * 1000;

const SCHEME: SignatureScheme = {
  algorithm: 'hmac-sha256',
  signature: { header: 'linear-signature', encoding: 'hex' },
  // The header `linear-timestamp` is not signed; this field of the body is.
  timestamp: { from: { body: 'webhookTimestamp' }, unit: 'ms', toleranceSeconds: 60 },
};

/** Webhooks as https://linear.app/developers/webhooks describes them. */
export class LinearWebhook implements WebhookTransport<LinearConnection> {
  readonly kind = 'webhook';
  readonly bodyLimit = 5 * 1024 * 1024;
  // Linear tries again after 1 minute, 1 hour and 6 hours.
  readonly acceptLateMs = 7 * HOUR_MS;

  signature(): SignatureScheme {
    return SCHEME;
  }

  // Never the body's `webhookId`: that is the id of the webhook's configuration, equal in all its deliveries.
  deliveryId({ headers }: VerifiedRequest): string | null {
    const id = headers['linear-delivery'];
    return typeof id === 'string' && id.trim() !== '' ? id.trim() : null;
  }

  // The header `linear-event` says the same but is not signed: the body decides.
  eventKey({ payload }: VerifiedRequest): string {
    const body = fields(payload);
    return [body?.type, body?.action].filter(isName).join('.') || 'unknown';
  }

  uniqueContent({ payload }: VerifiedRequest): string | null {
    const body = fields(payload);
    return body ? canonicalJson(Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'webhookTimestamp'))) : null;
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && /^\w{1,64}$/.test(value);
}
