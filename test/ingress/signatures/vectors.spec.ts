import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { verifySignature } from '../../../src/ingress/signatures/verify-signature.js';
import { schemeFrom } from '../../../src/plugin/signatures/scheme-from.js';

interface Vector {
  readonly id: string;
  readonly scheme: string;
  readonly now: number;
  readonly secret: string | null;
  readonly secrets?: readonly string[];
  readonly public_key: string | null;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body_base64: string;
  readonly valid: boolean;
  readonly why: string;
  readonly config?: object;
}

const fixture: { count: number; vectors: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../../fixtures/signatures.json', import.meta.url), 'utf8'),
);

function verify(vector: Vector) {
  // The vectors of `custom` say their scheme; those of a named one are held by its preset.
  const scheme = schemeFrom(vector.scheme === 'custom' ? vector.config : vector.scheme);
  return verifySignature(scheme, {
    rawHeaders: vector.headers,
    body: Buffer.from(vector.body_base64, 'base64'),
    url: vector.url,
    secrets: vector.secrets ?? [vector.public_key ?? vector.secret ?? ''],
    nowSeconds: vector.now,
  });
}

describe('SIG-2 every recorded signature vector holds', () => {
  it('has all of them', () => {
    expect(fixture.vectors).toHaveLength(fixture.count);
    expect(fixture.count).toBe(116);
  });

  it.each(fixture.vectors.map((vector) => [vector.id, vector.why, vector] as const))('%s: %s', (_id, _why, vector) => {
    expect(verify(vector).ok).toBe(vector.valid);
  });

  it.each(fixture.vectors.filter((vector) => vector.config && vector.scheme !== 'custom').map((vector) => [vector.id, vector] as const))(
    '%s holds by its parameters as well as by its preset',
    (_id, vector) => {
      expect(schemeFrom(vector.config)).toMatchObject(schemeFrom(vector.scheme));
    },
  );
});

describe('SIG-1 a refusal says which kind it is, and never throws', () => {
  const reasonOf = (id: string) => {
    const vector = fixture.vectors.find((candidate) => candidate.id === id);
    if (!vector) throw new Error(`no vector ${id}`);
    const verification = verify(vector);
    return verification.ok ? 'ok' : verification.reason;
  };

  it('tells a missing signature from a wrong one', () => {
    expect(reasonOf('github/missing-header')).toBe('missing');
    expect(reasonOf('linear/missing')).toBe('missing');
    expect(reasonOf('github/wrong-secret')).toBe('invalid');
    expect(reasonOf('github/duplicate-header-same')).toBe('invalid');
    expect(reasonOf('slack/duplicate-timestamp')).toBe('invalid');
    expect(reasonOf('slack/ts-missing')).toBe('invalid');
  });

  it('SIG-3 tells an authentic request out of its window from a forged one', () => {
    for (const id of [
      'slack/ts-301s-old',
      'slack/ts-301s-future',
      'slack/ts-one-year-old',
      'linear/ts-60001ms-old',
      'linear/ts-1h-old-retry',
      'stripe/old-301',
    ]) {
      expect([id, reasonOf(id)]).toEqual([id, 'timestamp']);
    }
    expect(reasonOf('linear/ts-string-iso')).toBe('invalid');
    expect(reasonOf('discord/tampered-timestamp')).toBe('invalid');
  });
});
