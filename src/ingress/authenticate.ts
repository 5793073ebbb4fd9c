import { Logger } from '@nestjs/common';
import { InvalidJson } from '../http/http-errors.js';
import type { SignatureScheme, SignatureVerdict, SignatureVerifier } from '../plugin/index.js';
import type { ArrivedRequest } from './arrived-request.js';
import type { EventSource } from './event-source.js';
import { SignatureInvalid, SignatureMissing, TimestampOutOfWindow } from './ingress-errors.js';
import { headersOf } from './signatures/headers.js';
import { verifySignature } from './signatures/verify-signature.js';

const log = new Logger('Events');

/** Index of the secret that proves the sender, or null for a source that may go unsigned. Throws for everybody else. */
export async function authenticate(source: EventSource, request: ArrivedRequest, nowMs: number): Promise<number | null> {
  const { connection, transport } = source;
  if (source.insecure && request.isLocal && connection.secrets.length === 0) return null;
  const signature = transport.signature(connection);
  return 'verify' in signature ? byPlugin(signature, source, request, nowMs) : byScheme(signature, source, request, nowMs);
}

async function byPlugin(
  verifier: SignatureVerifier,
  { connection, provider }: EventSource,
  request: ArrivedRequest,
  nowMs: number,
): Promise<number> {
  const { body, url } = request;
  const asked = { headers: headersOf(request.rawHeaders), body, url, secrets: connection.secrets, nowMs };
  const verdict = await Promise.resolve(asked)
    .then((unverified) => verifier.verify(unverified))
    .catch((error: unknown): SignatureVerdict => {
      log.error(`the verifier of ${provider} failed; the request is refused`, error instanceof Error ? error.stack : undefined);
      return { ok: false, reason: 'invalid' };
    });
  if (verdict.ok) return verdict.secretIndex;
  if (verdict.reason === 'missing') throw new SignatureMissing(null);
  throw verdict.reason === 'timestamp' ? new TimestampOutOfWindow(null) : new SignatureInvalid();
}

function byScheme(scheme: SignatureScheme, { connection, acceptLateMs }: EventSource, request: ArrivedRequest, nowMs: number): number {
  const verification = verifySignature(scheme, {
    ...{ rawHeaders: request.rawHeaders, body: request.body, readJson: request.readJson },
    ...{ secrets: scheme.keys ?? connection.secrets, nowSeconds: nowMs / 1000 },
    get url() {
      return request.url;
    },
  });
  if (verification.ok) return verification.secretIndex;
  switch (verification.reason) {
    case 'missing':
      throw new SignatureMissing(scheme.signature.header);
    case 'invalid':
      throw new SignatureInvalid();
    case 'unreadable':
      throw new InvalidJson('The body is signed rightly, but it is not JSON that can be read.');
    case 'timestamp':
      // Providers send the very same bytes again hours later. An old event is a policy; one from the future is none.
      if (verification.ageMs > 0 && verification.ageMs <= acceptLateMs) return verification.secretIndex;
      throw new TimestampOutOfWindow(verification.ageMs);
  }
}
