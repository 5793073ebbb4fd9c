import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { parseJson } from '../../http/parse-json.js';
import { InvalidInput, type SignatureScheme } from '../../plugin/index.js';
import { keyFromBase64, strictHex } from './encodings.js';
import { HASHES } from './proofs.js';
import { hmacKeyOf } from './secret-keys.js';
import { signedContent } from './signed-content.js';

export interface RequestToSign {
  readonly body: Buffer;
  /** As it is configured; for ed25519 the private key: its 32 bytes as the scheme writes the public one, or a PEM. */
  readonly secret: string;
  /** Under which the server knows the request. */
  readonly url: string;
  /** Of the message, where the scheme signs one. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** What the sender adds to the body, and the body: where its clock is in there, that is changed. */
export interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** DER header of an Ed25519 private key; the 32 bytes of its seed follow. */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The other side of `verifySignature`. Throws `InvalidInput` where there is nothing that this scheme could sign with, or that it could sign. */
export function signRequest(scheme: SignatureScheme, request: RequestToSign): Signed {
  const { timestamp, id } = scheme;
  const clock = timestamp ? Math.floor(timestamp.unit === 's' ? request.nowMs / 1000 : request.nowMs) : 0;
  const body = timestamp && 'body' in timestamp.from ? withClock(request.body, timestamp.from.body, clock) : request.body;
  const signature = signatureOf(scheme, { ...request, body }, String(clock));
  return {
    headers: {
      ...(timestamp && 'header' in timestamp.from && { [timestamp.from.header]: String(clock) }),
      ...(id && { [id.header]: request.id }),
      [scheme.signature.header]: headerOf(scheme, signature, String(clock)),
    },
    body,
  };
}

function headerOf({ signature, timestamp, algorithm }: SignatureScheme, proof: string, clock: string): string {
  const text = `${signature.prefix ?? (algorithm === 'basic' ? 'Basic ' : '')}${proof}`;
  if (!signature.pairs) return text;
  const time = timestamp && 'pair' in timestamp.from ? `${timestamp.from.pair}=${clock}${signature.pairs.separator}` : '';
  return `${time}${signature.pairs.key}=${text}`;
}

function signatureOf(scheme: SignatureScheme, { body, secret, url, id }: RequestToSign, timestamp: string): string {
  if (scheme.algorithm === 'token') return secret;
  if (scheme.algorithm === 'basic') return Buffer.from(secret).toString('base64');
  const content = signedContent(scheme.content ?? '{body}', { body, url: () => url, timestamp, id });
  if (content === null) throw new InvalidInput('the id of the delivery holds a character that parts what is signed; take another one');
  const encoding = scheme.signature.encoding ?? 'hex';
  if (scheme.algorithm === 'ed25519') return sign(null, Buffer.concat(content), privateKey(scheme, secret)).toString(encoding);
  const key = hmacKeyOf(scheme, secret);
  if (key === null) throw new InvalidInput('the secret is empty, or not of the encoding that the scheme wants');
  const hmac = createHmac(HASHES[scheme.algorithm], key);
  for (const piece of content) hmac.update(piece);
  return hmac.digest(encoding);
}

function privateKey({ secret: rule }: SignatureScheme, text: string): KeyObject {
  const seed = rule?.encoding === 'hex' ? strictHex(text) : keyFromBase64(text);
  try {
    if (seed?.length === 32) return createPrivateKey({ key: Buffer.concat([ED25519_PKCS8, seed]), format: 'der', type: 'pkcs8' });
    return createPrivateKey(text);
  } catch {
    // Its message may quote the key.
    throw new InvalidInput('this scheme signs with a private key of Ed25519: its 32 bytes, encoded as the public key is, or a PEM');
  }
}

function withClock(body: Buffer, path: string, clock: number): Buffer {
  const reading = parseJson(body);
  if (!reading.ok || typeof reading.value !== 'object' || reading.value === null || Array.isArray(reading.value))
    throw new InvalidInput('the payload is no JSON object, and this scheme signs a field of it');
  return Buffer.from(JSON.stringify(withField({ ...reading.value }, path.split('.'), clock)));
}

function withField(fields: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: number): Record<string, unknown> {
  const within = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const isObject = typeof within === 'object' && within !== null && !Array.isArray(within);
  return { ...fields, [name]: rest.length === 0 ? value : withField(isObject ? { ...within } : {}, rest, value) };
}
