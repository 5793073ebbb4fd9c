import { createHmac, randomUUID } from 'node:crypto';
import { withFields } from './json-body.js';
import type { RequestToSign, SignedRequest } from './request.js';

/** https://linear.app/developers/webhooks: the clock is in the body, and every try has a new one. */
export function signLinear({ body, secret, event, deliveryId, now = Date.now() }: RequestToSign): SignedRequest {
  const { bytes, fields } = withFields(body, { webhookTimestamp: now });
  const name = event?.split('.')[0] || (typeof fields.type === 'string' ? fields.type : '');
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Linear-Webhook',
    'linear-delivery': deliveryId ?? randomUUID(),
    'linear-timestamp': String(now),
    'linear-signature': createHmac('sha256', secret).update(bytes).digest('hex'),
  };
  return { headers: name === '' ? headers : { ...headers, 'linear-event': name }, body: bytes };
}
