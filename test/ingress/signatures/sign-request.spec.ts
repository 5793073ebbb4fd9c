import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signRequest } from '../../../src/ingress/signatures/sign-request.js';
import { verifySignature } from '../../../src/ingress/signatures/verify-signature.js';
import { newSecretFor, secretFaultOf } from '../../../src/ingress/webhooks/scheme-secrets.js';
import { type SignatureScheme, schemeFrom } from '../../../src/plugin/index.js';
import { presets } from '../../../src/plugin/signatures/presets.js';

const NOW = 1_755_000_000_500;
const BODY = Buffer.from('{"type":"ping","n":1}');

const schemes: [string, SignatureScheme][] = [
  ...Object.keys(presets).map((name): [string, SignatureScheme] => [name, schemeFrom(name)]),
  [
    'pairs with a clock in milliseconds',
    schemeFrom({
      ...{ algorithm: 'hmac-sha512', secretEncoding: 'hex', content: '{timestamp}/{url}/{body}' },
      signature: { header: 'X-Proof', pairs: ';', key: 'mac', encoding: 'base64' },
      timestamp: { pair: 'at', unit: 'ms' },
    }),
  ],
  ['a clock deep in the body', schemeFrom({ signature: { header: 'x' }, timestamp: { bodyPath: 'meta.sent.at', unit: 's' } })],
];

/** What signs, and what verifies. */
function secretsOf(scheme: SignatureScheme): { signing: string; verifying: string } {
  const made = newSecretFor(scheme);
  if (made !== null) return { signing: made, verifying: made };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const encoding = scheme.secret?.encoding === 'hex' ? 'hex' : 'base64';
  const raw = (key: Buffer) => key.subarray(-32).toString(encoding);
  return {
    signing: raw(privateKey.export({ format: 'der', type: 'pkcs8' })),
    verifying: raw(publicKey.export({ format: 'der', type: 'spki' })),
  };
}

describe('signing as a sender does', () => {
  it.each(schemes)('SIG-2 %s: what is signed verifies, and nothing else does', (_, scheme) => {
    const { signing, verifying } = secretsOf(scheme);
    expect(secretFaultOf(scheme, verifying)).toBeNull();
    const url = 'https://example.test/v1/events/default/x';
    const { headers, body } = signRequest(scheme, { body: BODY, secret: signing, url, id: 'm-1', nowMs: NOW });
    const request = { rawHeaders: Object.entries(headers), body, url, secrets: [verifying], nowSeconds: NOW / 1000 };
    expect(verifySignature(scheme, request)).toMatchObject({ ok: true });
    const other = secretsOf(scheme).verifying;
    expect(verifySignature(scheme, { ...request, secrets: [other] })).toMatchObject({ ok: false });
    const signsBody = scheme.algorithm !== 'token' && scheme.algorithm !== 'basic';
    if (signsBody)
      expect(verifySignature(scheme, { ...request, body: Buffer.concat([body, Buffer.from(' ')]) })).toMatchObject({ ok: false });
    if (scheme.timestamp)
      expect(verifySignature(scheme, { ...request, nowSeconds: NOW / 1000 + 301 })).toMatchObject({ reason: 'timestamp' });
  });

  it('SIG-2 refuses what it cannot sign, without a word of the secret', () => {
    const request = { body: BODY, secret: 'not a key', url: '', id: 'm-1', nowMs: NOW };
    expect(() => signRequest(schemeFrom('discord'), request)).toThrow(/private key of Ed25519/);
    expect(() => signRequest(schemeFrom('standard-webhooks'), { ...request, secret: 'whsec_%' })).toThrow(/not of the encoding/);
    expect(() => signRequest(schemeFrom('standard-webhooks'), { ...request, secret: 'whsec_AAAA', id: 'a.b' })).toThrow(
      /id of the delivery/,
    );
    expect(() => signRequest(schemeFrom('linear'), { ...request, body: Buffer.from('[]') })).toThrow(/no JSON object/);
  });
});
