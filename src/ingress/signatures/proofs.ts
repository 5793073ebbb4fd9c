import { createHash, createHmac, timingSafeEqual, verify } from 'node:crypto';
import type { SignatureScheme } from '../../plugin/index.js';
import { strictBase64, strictHex } from './encodings.js';
import { ed25519KeyOf, hmacKeyOf } from './secret-keys.js';

/** Says whether one of the signatures in a request was made with this secret. */
export type Proof = (secret: string) => boolean;

export const HASHES = { 'hmac-sha1': 'sha1', 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512' } as const;

/** The proof that a scheme asks for. It never throws: what cannot be read was not signed with the secret. */
export function proofOf(scheme: SignatureScheme, signatures: readonly string[], content: readonly Buffer[]): Proof {
  const encoding = scheme.signature.encoding ?? 'hex';
  switch (scheme.algorithm) {
    case 'token':
      return (secret) => secret !== '' && signatures.some((signature) => sameSecret(Buffer.from(signature), Buffer.from(secret)));
    case 'basic':
      return (secret) => secret !== '' && signatures.some((signature) => sameSecret(strictBase64(signature), Buffer.from(secret)));
    case 'ed25519':
      return (secret) => verifiesEd25519(scheme, secret, decodeAll(signatures, encoding), content);
    default: {
      const hash = HASHES[scheme.algorithm];
      return (secret) => {
        const key = hmacKeyOf(scheme, secret);
        if (key === null) return false;
        const hmac = createHmac(hash, key);
        for (const piece of content) hmac.update(piece);
        // The texts are compared, not the bytes: decoders of hex and base64 forgive what a provider never sends.
        const expected = Buffer.from(hmac.digest(encoding));
        return signatures.some((signature) => sameDigest(Buffer.from(signature), expected));
      };
    }
  }
}

function verifiesEd25519(scheme: SignatureScheme, secret: string, signatures: readonly Buffer[], content: readonly Buffer[]): boolean {
  const key = ed25519KeyOf(scheme, secret);
  if (key === null) return false;
  const message = Buffer.concat(content);
  return signatures.some((signature) => signature.length === 64 && verify(null, message, key, signature));
}

function decodeAll(signatures: readonly string[], encoding: 'hex' | 'base64'): Buffer[] {
  return signatures
    .map((signature) => (encoding === 'hex' ? strictHex(signature) : strictBase64(signature)))
    .filter((bytes) => bytes !== null);
}

/** The length of a digest is no secret, so it may be compared first. */
function sameDigest(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Hashed first, so that not even the length of a secret can be measured. */
function sameSecret(given: Buffer | null, expected: Buffer): boolean {
  return given !== null && timingSafeEqual(sha256(given), sha256(expected));
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
