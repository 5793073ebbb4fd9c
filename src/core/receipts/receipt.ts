import { createHash, hash } from 'node:crypto';
import type { DeliveryIdentity } from '../../plugin/index.js';

/** 16 bytes under which the ledger knows a delivery: half the index of its four texts. */
export function identityHash({ org, provider, source, deliveryId }: DeliveryIdentity): Buffer {
  return sha256Of([org, provider, source, deliveryId]).subarray(0, 16);
}

/** 16 bytes of what the provider signed, within one source. */
export function digestHash(org: string, source: string, content: string | Buffer): Buffer {
  return sha256Of([org, source], content).subarray(0, 16);
}

export function contentHash(content: string | Buffer): Buffer {
  return hash('sha256', content, 'buffer');
}

/** Each part is preceded by its length, so that no two lists of parts read alike. */
function sha256Of(names: readonly string[], content?: string | Buffer): Buffer {
  const named = names.map((name) => `${Buffer.byteLength(name)}:${name}`).join('');
  if (content === undefined) return hash('sha256', named, 'buffer');
  return createHash('sha256')
    .update(`${named}${Buffer.byteLength(content)}:`)
    .update(content)
    .digest();
}

/** Stored payloads are cut here; parsing has happened before. */
export const PAYLOAD_LIMIT = 1024 * 1024;
