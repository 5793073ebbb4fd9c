import { describe, expect, it } from '@jest/globals';
import { SIGNING_PROVIDERS, type SignedRequest, type SigningProvider, signedRequest } from '../../src/cli/signing/signed-request.js';
import { type Verification, verifySignature } from '../../src/ingress/signatures/verify-signature.js';
import { presets } from '../../src/plugin/signatures/presets.js';

const SECRET = 'a secret of the provider';
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const BODY = JSON.stringify({ type: 'Issue', action: 'create', event_id: 'Ev1', text: 'Grüße — 日本' });

function verify(provider: SigningProvider, { headers, body }: SignedRequest, nowMs = NOW): Verification {
  return verifySignature(presets[provider], {
    rawHeaders: Object.entries(headers),
    body,
    url: '',
    secrets: [SECRET],
    nowSeconds: nowMs / 1000,
  });
}

describe.each(SIGNING_PROVIDERS)('a request signed as %s does', (provider) => {
  const sign = (secret = SECRET) => signedRequest(provider, { body: BODY, secret, event: 'issues.opened', deliveryId: 'd-1', now: NOW });

  it('SIG-1 verifies with the scheme of the connection', () => {
    expect(verify(provider, sign())).toMatchObject({ ok: true });
  });

  it('SIG-1 does not verify when its body was changed or another secret was used', () => {
    const { headers, body } = sign();
    expect(verify(provider, { headers, body: Buffer.concat([body, Buffer.from(' ')]) })).toMatchObject({ ok: false });
    expect(verify(provider, sign('another secret'))).toMatchObject({ ok: false, reason: 'invalid' });
  });
});

describe('what each provider sends beside its signature', () => {
  it('names event and delivery in GitHub’s headers, without the action, and leaves every byte of the body', () => {
    const body = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    const request = signedRequest('github', { body, secret: SECRET, event: 'issue_comment.created', deliveryId: 'd-1' });
    expect(request.headers).toMatchObject({ 'x-github-event': 'issue_comment', 'x-github-delivery': 'd-1' });
    expect(request.body.equals(body)).toBe(true);
    expect(verify('github', request)).toMatchObject({ ok: true });
  });

  it('gives every delivery a fresh id where none is asked for', () => {
    const ids = [1, 2].map(() => signedRequest('linear', { body: BODY, secret: SECRET }).headers['linear-delivery']);
    expect(new Set(ids).size).toBe(2);
  });

  it('puts a fresh clock into the body for Linear, and names the entity', () => {
    const { headers, body } = signedRequest('linear', { body: BODY, secret: SECRET, deliveryId: 'd-2', now: NOW });
    expect(JSON.parse(body.toString())).toEqual({ ...JSON.parse(BODY), webhookTimestamp: NOW });
    expect(headers).toMatchObject({ 'linear-delivery': 'd-2', 'linear-event': 'Issue' });
  });

  it('replaces Slack’s event_id only when a delivery id is asked for', () => {
    expect(signedRequest('slack', { body: BODY, secret: SECRET }).body.toString()).toBe(BODY);
    const { body } = signedRequest('slack', { body: BODY, secret: SECRET, deliveryId: 'Ev9' });
    expect(JSON.parse(body.toString())).toMatchObject({ event_id: 'Ev9' });
  });

  it.each(['linear', 'slack'] as const)('makes stale requests of %s, for those who ask for an old clock', (provider) => {
    const request = signedRequest(provider, { body: BODY, secret: SECRET, now: NOW - 3_600_000 });
    expect(verify(provider, request)).toMatchObject({ ok: false, reason: 'timestamp' });
  });

  it('refuses a body for Linear that can hold no clock', () => {
    for (const body of ['no json', '[1]', 'null']) {
      expect(() => signedRequest('linear', { body, secret: SECRET })).toThrow(/the payload is no JSON/);
    }
  });
});
