import { randomBytes } from 'node:crypto';
import type { SignatureScheme } from '../../plugin/index.js';
import { ed25519KeyOf, hmacKeyOf } from '../signatures/secret-keys.js';

const BYTES = 32;

/** A secret that both sides can have; null: the sender's own private key is what signs. */
export function newSecretFor({ algorithm, secret }: SignatureScheme): string | null {
  if (algorithm === 'ed25519') return null;
  const bytes = randomBytes(BYTES);
  if (algorithm === 'basic') return `throughline:${bytes.toString('base64url')}`;
  const { encoding = 'utf8', prefix = '' } = secret ?? {};
  return encoding === 'utf8' ? `whsec_${bytes.toString('base64url')}` : `${prefix}${bytes.toString(encoding)}`;
}

/** Why this secret proves nothing by the scheme; null: it does. */
export function secretFaultOf(scheme: SignatureScheme, secret: string): string | null {
  const { algorithm } = scheme;
  const encoding = scheme.secret?.encoding ?? 'utf8';
  if (algorithm === 'ed25519')
    return ed25519KeyOf(scheme, secret) === null ? `must be the sender's public key: 32 bytes, written as ${encoding}` : null;
  if (algorithm === 'token') return /^[\x21-\x7e]+$/.test(secret) ? null : 'must be visible ASCII, since it comes in a header';
  if (algorithm === 'basic') return secret.indexOf(':') > 0 ? null : 'must be `<user>:<password>`';
  return hmacKeyOf(scheme, secret) === null ? `must be a key that is written as ${encoding}` : null;
}
