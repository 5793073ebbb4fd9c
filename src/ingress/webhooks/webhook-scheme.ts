import type { WebhookSettings } from '../../core/webhooks/webhook-settings.js';
import { type SignatureScheme, schemeFrom } from '../../plugin/index.js';

/** As GitHub-like senders sign, where nothing else is said. */
export const DEFAULT_SCHEME = 'hmac-sha256-hex';

/** How the sender of a custom webhook proves itself. Throws `InvalidInput` with every fault. */
export function schemeOf({ signature_scheme = DEFAULT_SCHEME, signature_header }: WebhookSettings): SignatureScheme {
  return schemeFrom(signature_scheme, 'signature_scheme', signature_header);
}
