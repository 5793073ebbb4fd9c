import { InvalidJson } from '../http/http-errors.js';
import type { ArrivedRequest } from './arrived-request.js';
import type { EventSource } from './event-source.js';
import { SignatureInvalid, SignatureMissing, TimestampOutOfWindow } from './ingress-errors.js';
import { verifySignature } from './signatures/verify-signature.js';

/** Index of the secret that proves the sender, or null for a source that may go unsigned. Throws for everybody else. */
export function authenticate(source: EventSource, request: ArrivedRequest, nowMs: number): number | null {
  const { connection, transport } = source;
  if (source.insecure && request.isLocal && connection.secrets.length === 0) return null;

  const scheme = transport.signature(connection);
  const verification = verifySignature(scheme, { ...request, secrets: connection.secrets, nowSeconds: nowMs / 1000 });
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
      if (verification.ageMs > 0 && verification.ageMs <= source.acceptLateMs) return verification.secretIndex;
      throw new TimestampOutOfWindow(verification.ageMs);
  }
}
