import { createHmac, randomUUID } from 'node:crypto';
import type { RequestToSign, SignedRequest } from './request.js';

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers. The action of `issues.opened` is the body's alone. */
export function signGithub({ body, secret, event, deliveryId }: RequestToSign): SignedRequest {
  const bytes = Buffer.from(body);
  const [name = ''] = (event ?? '').split('.');
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/throughline',
    'x-github-delivery': deliveryId ?? randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`,
  };
  return { headers: name === '' ? headers : { ...headers, 'x-github-event': name }, body: bytes };
}
