import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { SignatureScheme } from '../../plugin/index.js';
import { keyFromBase64, strictHex } from './encodings.js';

type SecretRule = SignatureScheme['secret'];

/** DER header of an Ed25519 public key; the 32 bytes of the key follow. */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** More than any configuration has at one time. */
const MOST_KEYS = 10_000;

/** The key that a configured secret stands for, or null for one that is empty or not of the scheme's encoding. */
export const hmacKeyOf = remembered((rule, secret) => {
  const bytes = decodeKey(rule, secret);
  return bytes === null ? null : createSecretKey(bytes);
});

export const ed25519KeyOf = remembered((rule, secret) => {
  const raw = decodeKey(rule, secret);
  return raw?.length === 32 ? ed25519Key(raw) : null;
});

/** To make a key takes longer than to sign with it, and there are no more of them than configured secrets. */
function remembered(make: (rule: SecretRule, secret: string) => KeyObject | null) {
  const keys = new Map<string, KeyObject | null>();
  return ({ secret: rule }: SignatureScheme, secret: string): KeyObject | null => {
    const name = `${rule?.encoding ?? 'utf8'} ${rule?.prefix ?? ''} ${secret}`;
    const known = keys.get(name);
    if (known !== undefined) return known;
    if (keys.size >= MOST_KEYS) keys.clear();
    const key = make(rule, secret);
    keys.set(name, key);
    return key;
  };
}

function decodeKey(rule: SecretRule, secret: string): Buffer | null {
  const text = rule?.prefix !== undefined && secret.startsWith(rule.prefix) ? secret.slice(rule.prefix.length) : secret;
  const encoding = rule?.encoding ?? 'utf8';
  const key = encoding === 'hex' ? strictHex(text) : encoding === 'base64' ? keyFromBase64(text) : Buffer.from(text);
  return key === null || key.length === 0 ? null : key;
}

function ed25519Key(raw: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.concat([ED25519_SPKI, raw]), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}
