import type { AcceptResult, Connection, Reply, SignatureScheme, VerifiedRequest, WebhookTransport } from 'throughline/plugin';
import type { DiscordConnection } from './discord.options.js';
import { interactionKey } from './interaction-events.js';
import { firstReply } from './interaction-reply.js';
import { fields, snowflake } from './json.js';

const SCHEME: SignatureScheme = {
  algorithm: 'ed25519',
  secret: { encoding: 'hex' },
  signature: { header: 'x-signature-ed25519', encoding: 'hex' },
  timestamp: { from: { header: 'x-signature-timestamp' }, unit: 's', toleranceSeconds: 300 },
  content: '{timestamp}{body}',
};

const PING = 1;

/** The interactions endpoint of an application: Discord then posts buttons and commands here instead of sending them over the gateway. */
export class DiscordWebhook implements WebhookTransport<DiscordConnection> {
  readonly kind = 'webhook';

  signature({ options }: Connection<DiscordConnection>): SignatureScheme {
    return { ...SCHEME, keys: options.publicKey === undefined ? [] : [options.publicKey] };
  }

  handshake({ payload }: VerifiedRequest): Reply | null {
    return fields(payload)?.type === PING ? { status: 200, body: { type: PING } } : null;
  }

  deliveryId({ payload }: VerifiedRequest): string | null {
    const id = snowflake(fields(payload)?.id);
    return id === undefined ? null : interactionDelivery(id);
  }

  eventKey({ payload }: VerifiedRequest): string {
    return interactionKey(fields(payload) ?? {});
  }

  // Over the gateway the same interaction comes in other bytes.
  uniqueContent(request: VerifiedRequest): string | null {
    return this.deliveryId(request);
  }

  reply(_result: AcceptResult, { payload }: VerifiedRequest): Reply {
    return { status: 200, body: firstReply(payload) };
  }
}

export function interactionDelivery(id: string): string {
  return `interaction.${id}`;
}
