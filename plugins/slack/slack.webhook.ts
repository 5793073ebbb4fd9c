import type { AcceptResult, Reply, SignatureScheme, VerifiedRequest, WebhookTransport } from 'throughline/plugin';
import { answerTo } from './command-answer.js';
import { contentOf, deliveryIdOf } from './event-identity.js';
import { eventKeyOf, isCommand } from './event-key.js';
import { readPayloadField } from './form.js';
import { fields } from './json.js';
import type { SlackConnection } from './slack.options.js';

const SCHEME: SignatureScheme = {
  algorithm: 'hmac-sha256',
  signature: { header: 'x-slack-signature', prefix: 'v0=', encoding: 'hex' },
  timestamp: { from: { header: 'x-slack-request-timestamp' }, unit: 's', toleranceSeconds: 300 },
  content: 'v0:{timestamp}:{body}',
};

/** Interactions whose answer Slack reads: with anything but what it expects the person sees a failure. */
const READ_BY_SLACK: ReadonlySet<unknown> = new Set(['view_submission', 'dialog_submission', 'interactive_message']);

const PLAIN_TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const NOTHING: Reply = { status: 200, body: '', headers: PLAIN_TEXT };

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
    return contentType === 'form' && body?.ssl_check === '1' ? NOTHING : null;
  }

  /** Slack shows a person what it is answered to a command or a form, and the host's JSON is nothing to read. */
  reply(result: AcceptResult, request: VerifiedRequest): Reply {
    const event = this.event(request);
    const answer = isCommand(event) ? answerTo(event) : null;
    if (answer !== null) return { status: 200, body: answer };
    return isCommand(event) || READ_BY_SLACK.has(fields(event)?.type) ? NOTHING : { status: 200, body: result };
  }

  deliveryId(request: VerifiedRequest): string | null {
    return deliveryIdOf(this.event(request));
  }

  uniqueContent(request: VerifiedRequest): string {
    return contentOf(this.event(request));
  }

  eventKey(request: VerifiedRequest): string {
    return eventKeyOf(this.event(request));
  }

  event({ payload, contentType }: VerifiedRequest): unknown {
    const form = contentType === 'form' ? fields(payload) : undefined;
    return (form && readPayloadField(form)) ?? payload;
  }
}
