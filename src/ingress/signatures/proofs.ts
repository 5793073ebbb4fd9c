import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { SignatureScheme } from '../../plugin/index.js';

/** Says whether one of the signatures in a request was made with this secret. */
export type Proof = (secret: string) => boolean;

const HASHES = { 'hmac-sha1': 'sha1', 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512' } as const;

/** DER header of an Ed25519 public key; the 32 bytes of the key follow. */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** The proof that a scheme asks for. It never throws: what cannot be read was not signed with the secret. */
export function proofOf(scheme: SignatureScheme, signatures: readonly string[], content: readonly Buffer[]): Proof {
  const encoding = scheme.signature.encoding ?? 'hex';
  switch (scheme.algorithm) {
    case 'token':
      return (secret) => secret !== '' && signatures.some((signature) => sameSecret(Buffer.from(signature), Buffer.from(secret)));
    case 'basic':
      return (secret) => secret !== '' && signatures.some((signature) => sameSecret(strictBase64(signature), Buffer.from(secret)));
    case 'ed25519':
      return (secret) => verifiesEd25519(decodeKey(scheme, secret), decodeAll(signatures, encoding), content);
    default: {
      const hash = HASHES[scheme.algorithm];
      return (secret) => {
        const key = decodeKey(scheme, secret);
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

/** The key that a configured secret stands for, or null for one that is empty or not of the scheme's encoding. */
function decodeKey({ secret: rule }: SignatureScheme, secret: string): Buffer | null {
  const text = rule?.prefix !== undefined && secret.startsWith(rule.prefix) ? secret.slice(rule.prefix.length) : secret;
  const encoding = rule?.encoding ?? 'utf8';
  const key = encoding === 'hex' ? strictHex(text) : encoding === 'base64' ? keyFromBase64(text) : Buffer.from(text);
  return key === null || key.length === 0 ? null : key;
}

function verifiesEd25519(raw: Buffer | null, signatures: readonly Buffer[], content: readonly Buffer[]): boolean {
  const key = raw?.length === 32 ? ed25519Key(raw) : null;
  if (key === null) return false;
  const message = Buffer.concat(content);
  return signatures.some((signature) => signature.length === 64 && verify(null, message, key, signature));
}

function ed25519Key(raw: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.concat([ED25519_SPKI, raw]), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}

function decodeAll(signatures: readonly string[], encoding: 'hex' | 'base64'): Buffer[] {
  return signatures
    .map((signature) => (encoding === 'hex' ? strictHex(signature) : strictBase64(signature)))
    .filter((bytes) => bytes !== null);
}

function strictHex(text: string): Buffer | null {
  return /^(?:[0-9a-fA-F]{2})*$/.test(text) ? Buffer.from(text, 'hex') : null;
}

function strictBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

/** People copy keys without the padding; a signature must have it. */
function keyFromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : null;
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
