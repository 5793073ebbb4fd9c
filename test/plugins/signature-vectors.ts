import type { SignatureScheme } from 'throughline/plugin';
import { verifySignature } from '../../src/ingress/signatures/verify-signature.js';
import { fixtureText } from './golden.js';

export interface Vector {
  readonly id: string;
  readonly scheme: string;
  readonly now: number;
  readonly secret: string;
  readonly public_key?: string | null;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body_base64: string;
  readonly valid: boolean;
  readonly why: string;
}

/** The vectors of `signatures.json` for one provider. */
export function vectorsOf(provider: string): Vector[] {
  const { vectors } = JSON.parse(fixtureText('signatures.json')) as { vectors: Vector[] };
  return vectors.filter(({ scheme }) => scheme === provider);
}

/** What the host's verifier answers with the scheme that a plugin describes. */
export function holds(vector: Vector, scheme: SignatureScheme): boolean {
  const body = Buffer.from(vector.body_base64, 'base64');
  return verifySignature(scheme, { rawHeaders: vector.headers, body, url: vector.url, secrets: [vector.secret], nowSeconds: vector.now })
    .ok;
}
