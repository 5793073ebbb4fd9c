import { createHash, randomBytes } from 'node:crypto';

export const SHORTEST_TOKEN = 32;

/** The text that its owner keeps; we keep its hash. */
export function newSecret(): string {
  return `tl_${randomBytes(32).toString('base64url')}`;
}

export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
