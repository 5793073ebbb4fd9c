import { createHash } from 'node:crypto';
import type { DeliveryIdentity } from '../../plugin/index.js';

/** 16 bytes under which the ledger knows a delivery: half the index of its four texts. */
export function identityHash({ org, provider, source, deliveryId }: DeliveryIdentity): Buffer {
  return hash([org, provider, source, deliveryId]).subarray(0, 16);
}

/** 16 bytes of what the provider signed, within one source. */
export function digestHash(org: string, source: string, content: string | Buffer): Buffer {
  return hash([org, source, content]).subarray(0, 16);
}

export function contentHash(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}

/** Each part is preceded by its length, so that no two lists of parts read alike. */
function hash(parts: readonly (string | Buffer)[]): Buffer {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
  return digest.digest();
}

/** Stored payloads are cut here; parsing has happened before. */
export const PAYLOAD_LIMIT = 1024 * 1024;
