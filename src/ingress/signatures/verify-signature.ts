import { type JsonReading, parseJson } from '../../http/parse-json.js';
import type { SignatureScheme } from '../../plugin/index.js';
import { type RawHeaders, valuesOf } from './headers.js';
import { proofOf } from './proofs.js';
import { candidateSignatures, pairValues } from './signature-header.js';
import { signedContent } from './signed-content.js';
import { ageOf, instantAtPath, instantFromText, isWithin } from './timestamp.js';

export interface SignedRequest {
  readonly rawHeaders: RawHeaders;
  /** The exact bytes. */
  readonly body: Buffer;
  /** The public URL that the provider was given and signs, where its scheme has `{url}`. */
  readonly url: string;
  /** Active secrets, newest first; for ed25519 the public keys. */
  readonly secrets: readonly string[];
  /** Seconds since 1970, with fractions. */
  readonly nowSeconds: number;
  /** Reads the body as JSON, for schemes whose timestamp stands in it. A caller that needs the JSON too gives its own, remembered one. */
  readonly readJson?: () => JsonReading;
}

export type Verification =
  | { readonly ok: true; readonly secretIndex: number; readonly timestampMs: number | null; readonly ageMs: number | null }
  /** The signature itself holds, only its time is outside the window; `ageMs` is negative for a time in the future. */
  | { readonly ok: false; readonly reason: 'timestamp'; readonly secretIndex: number; readonly timestampMs: number; readonly ageMs: number }
  /** The signature itself holds, but the body where the timestamp should be is no JSON. */
  | { readonly ok: false; readonly reason: 'unreadable' }
  | { readonly ok: false; readonly reason: 'missing' | 'invalid' };

const INVALID = { ok: false, reason: 'invalid' } as const;

/** Did the holder of one of the secrets send this? Total: whatever the request holds, there is an answer, never an exception. */
export function verifySignature(scheme: SignatureScheme, request: SignedRequest): Verification {
  const headers = valuesOf(request.rawHeaders, scheme.signature.header);
  const [header] = headers;
  if (header === undefined) return { ok: false, reason: 'missing' };
  // Two lines are ambiguous even when they are equal: proxies, parsers and the provider need not agree on which one counts.
  if (headers.length > 1) return INVALID;

  const timestamp = only(timestampTexts(scheme, request.rawHeaders, header));
  const id = scheme.id ? only(valuesOf(request.rawHeaders, scheme.id.header)) : null;
  const content = signedContent(scheme.content ?? '{body}', { body: request.body, url: () => request.url, timestamp, id });
  if (content === null) return INVALID;

  const secretIndex = request.secrets.findIndex(proofOf(scheme, candidateSignatures(scheme, header), content));
  return secretIndex === -1 ? INVALID : judgeTime(scheme, request, timestamp, secretIndex);
}

/** The timestamp where it stands in the head of the request: as it was written, since that is what was signed. */
function timestampTexts({ timestamp, signature }: SignatureScheme, headers: RawHeaders, signatureHeader: string): string[] {
  if (!timestamp || 'body' in timestamp.from) return [];
  if ('header' in timestamp.from) return valuesOf(headers, timestamp.from.header);
  return pairValues(signatureHeader, signature.pairs?.separator ?? ',', timestamp.from.pair);
}

function only(values: readonly string[]): string | null {
  return values.length === 1 ? (values[0] ?? null) : null;
}

function judgeTime(scheme: SignatureScheme, request: SignedRequest, text: string | null, secretIndex: number): Verification {
  const rule = scheme.timestamp;
  if (!rule) return { ok: true, secretIndex, timestampMs: null, ageMs: null };

  let timestampMs: number | null;
  if ('body' in rule.from) {
    const reading = request.readJson?.() ?? parseJson(request.body);
    if (!reading.ok) return { ok: false, reason: 'unreadable' };
    timestampMs = instantAtPath(reading.value, rule.from.body, rule.unit);
  } else {
    timestampMs = text === null ? null : instantFromText(text, rule.unit);
  }
  if (timestampMs === null) return INVALID;

  const ageMs = ageOf(timestampMs, request.nowSeconds, rule.unit);
  return isWithin(rule, ageMs)
    ? { ok: true, secretIndex, timestampMs, ageMs }
    : { ok: false, reason: 'timestamp', secretIndex, timestampMs, ageMs };
}
