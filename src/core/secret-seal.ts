import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;

/**
 * A secret as the store keeps it. `about` is what it belongs to: moved to another row it cannot be opened. The key of the installation is
 * never used itself, so that what is sealed here and what is signed elsewhere have nothing in common.
 */
export function sealSecret(key: Buffer, about: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOfSecrets(key), nonce).setAAD(Buffer.from(about));
  const hidden = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), hidden]);
}

/** Throws when it was sealed with another key or for something else, or was changed. */
export function openSecret(key: Buffer, about: string, sealed: Buffer): string {
  const [nonceAt, tagAt, textAt] = [1, 1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES];
  if (sealed[0] !== VERSION || sealed.length < textAt) throw new Error(`the secret of ${about} is not one that this version has sealed`);
  const decipher = createDecipheriv(CIPHER, keyOfSecrets(key), sealed.subarray(nonceAt, tagAt), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(tagAt, textAt));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Error(`the secret of ${about} cannot be opened; was THROUGHLINE_ENCRYPTION_KEY changed?`, { cause });
  }
}

function keyOfSecrets(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'throughline:secrets', 32));
}
