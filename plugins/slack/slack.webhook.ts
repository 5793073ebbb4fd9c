import { createHash } from 'node:crypto';
import type { AcceptResult, Reply, SignatureScheme, VerifiedRequest, WebhookTransport } from 'throughline/plugin';
import { parseCommand, USAGE } from './actions.js';
import { eventKeyOf, isCommand } from './event-key.js';
import { readPayloadField } from './form.js';
import { fields, word } from './json.js';
import type { SlackConnection } from './slack.options.js';

const SCHEME: SignatureScheme = {
  algorithm: 'hmac-sha256',
  signature: { header: 'x-slack-signature', prefix: 'v0=', encoding: 'hex' },
  timestamp: { from: { header: 'x-slack-request-timestamp' }, unit: 's', toleranceSeconds: 300 },
  content: 'v0:{timestamp}:{body}',
};

const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8' };

/** The Events API over HTTP; interactivity and slash commands come to the same kind of URL as forms, signed in the same way. */
export class SlackWebhook implements WebhookTransport<SlackConnection> {
  readonly kind = 'webhook';
  readonly contentTypes = ['json', 'form'] as const;
  readonly bodyLimit = 5 * 1024 * 1024;

  signature(): SignatureScheme {
    return SCHEME;
  }

  handshake({ payload, contentType }: VerifiedRequest): Reply | null {
    const body = fields(payload);
    if (body?.type === 'url_verification' && typeof body.challenge === 'string') {
      return { status: 200, body: body.challenge, headers: PLAIN_TEXT };
    }
    return contentType === 'form' && body?.ssl_check === '1' ? { status: 200, body: '', headers: PLAIN_TEXT } : null;
  }

  /** Slack shows a person what it is answered to a command, and the host's JSON is nothing to read. */
  reply(result: AcceptResult, { payload }: VerifiedRequest): Reply {
    if (!isCommand(payload)) return { status: 200, body: result };
    if (parseCommand(payload)) return { status: 200, body: '', headers: PLAIN_TEXT };
    return { status: 200, body: { response_type: 'ephemeral', text: USAGE } };
  }

  // A retry keeps its event_id; x-slack-retry-num is no reason to drop it, since the first try may never have been committed.
  deliveryId(request: VerifiedRequest): string | null {
    const event = fields(this.event(request));
    if (event?.type === 'event_callback') return word(event.event_id) ?? null;
    // Interactions, commands and notices about the app have no id of their own and are not sent again: their bytes identify them.
    return `sha256:${createHash('sha256').update(request.body).digest('hex')}`;
  }

  eventKey(request: VerifiedRequest): string {
    return eventKeyOf(this.event(request));
  }

  event({ payload, contentType }: VerifiedRequest): unknown {
    const form = contentType === 'form' ? fields(payload) : undefined;
    return (form && readPayloadField(form)) ?? payload;
  }
}
