import { createHash } from 'node:crypto';

/** Characters that nobody sees, two bits each. */
const DIGITS = ['\u200b', '\u200c', '\u200d', '\u2060'];
const DIGITS_OF_A_BYTE = 4;
const BYTES = 6;

export const MARKER_LENGTH = BYTES * DIGITS_OF_A_BYTE;

/**
 * What a message of ours is found by afterwards: Discord keeps a nonce for minutes, and does not tell it with the history. It stands at the
 * end of the text, and shows as nothing.
 */
export function markerOf(key: string): string {
  const bytes = [...digestOf(key).subarray(0, BYTES)];
  return bytes.flatMap((byte) => [6, 4, 2, 0].map((shift) => DIGITS[(byte >> shift) & 3])).join('');
}

/** What Discord knows a repeated post by; it takes 25 characters. */
export function nonceOf(key: string): string {
  return digestOf(key).subarray(0, 18).toString('base64url');
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
