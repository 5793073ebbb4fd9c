import type { Headers, SignatureScheme, VerifiedRequest, WebhookTransport } from 'throughline/plugin';
import { parseField } from './github.form.js';
import type { GithubConnection } from './github.options.js';
import { at } from './github.shape.js';

const EVENT = /^[a-z][a-z0-9_]{0,63}$/;
const ACTION = /^[^\s\p{C}]{1,100}$/u;

const SCHEME: SignatureScheme = {
  algorithm: 'hmac-sha256',
  signature: { header: 'x-hub-signature-256', prefix: 'sha256=', encoding: 'hex' },
};

/** Bodies without an id or instant of their own: starting the same workflow twice sends the same bytes twice. */
const REPEATABLE = new Set(['workflow_dispatch', 'repository_dispatch']);

/** GitHub's webhooks: https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers */
export class GithubWebhook implements WebhookTransport<GithubConnection> {
  readonly kind = 'webhook';
  readonly contentTypes = ['json', 'form'] as const;
  /** GitHub does not send larger ones. */
  readonly bodyLimit = 25 * 1024 * 1024;

  signature(): SignatureScheme {
    return SCHEME;
  }

  deliveryId({ headers }: VerifiedRequest): string | null {
    const id = single(headers, 'x-github-delivery');
    return id === null || id.trim() === '' ? null : id;
  }

  eventKey(request: VerifiedRequest): string {
    return eventKeyOf(single(request.headers, 'x-github-event'), this.event(request));
  }

  event({ contentType, payload }: VerifiedRequest): unknown {
    return contentType === 'form' ? parseField(at(payload, 'payload')) : payload;
  }

  uniqueContent({ headers, body }: VerifiedRequest): Buffer | null {
    return uniqueContentOf(single(headers, 'x-github-event'), body);
  }
}

export function uniqueContentOf(event: string | null, body: Buffer): Buffer | null {
  return REPEATABLE.has(event ?? '') ? null : body;
}

/** What routes call it: the event, which the header names, and its action. */
export function eventKeyOf(event: string | null, payload: unknown): string {
  if (event === null || !EVENT.test(event)) return 'unknown';
  const action = at(payload, 'action');
  return typeof action === 'string' && ACTION.test(action) ? `${event}.${action}` : event;
}

/** A header that came twice says nothing for sure. */
function single(headers: Headers, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}
