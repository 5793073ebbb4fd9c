import { createHmac } from 'node:crypto';
import { withFields } from './json-body.js';
import type { RequestToSign, SignedRequest } from './request.js';

/** https://docs.slack.dev/authentication/verifying-requests-from-slack. The id of a delivery is the body's `event_id`. */
export function signSlack({ body, secret, deliveryId, now = Date.now() }: RequestToSign): SignedRequest {
  const bytes = deliveryId === undefined ? Buffer.from(body) : withFields(body, { event_id: deliveryId }).bytes;
  const timestamp = String(Math.floor(now / 1000));
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(bytes).digest('hex');
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
    body: bytes,
  };
}
