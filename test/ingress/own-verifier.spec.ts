import 'reflect-metadata';
import { createSign, createVerify, generateKeyPairSync } from 'node:crypto';
import { afterEach, expect, it } from '@jest/globals';
import type { SignatureVerdict, UnverifiedRequest } from '../../src/plugin/index.js';
import { type Endpoint, githubTransport, source, startEndpoint } from './outside.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

let endpoint: Endpoint;
afterEach(() => endpoint.app.close());

/** As a provider would that signs with a private key and hands out the public one. */
function verify({ headers, body, secrets }: UnverifiedRequest): SignatureVerdict {
  const signature = headers['x-rsa'];
  if (signature === undefined) return { ok: false, reason: 'missing' };
  if (signature === 'old') return { ok: false, reason: 'timestamp' };
  if (signature === 'broken') throw new Error('the verifier has a fault');
  const secretIndex = secrets.findIndex((key) => createVerify('sha256').update(body).verify(key, String(signature), 'base64'));
  return secretIndex === -1 ? { ok: false, reason: 'invalid' } : { ok: true, secretIndex };
}

async function post(signature: string | null, body = '{"a":1}') {
  endpoint = await startEndpoint([source('rsa', { ...githubTransport, signature: () => ({ verify }) }, { secrets: [pem] })]);
  const headers = {
    'content-type': 'application/json',
    'x-github-delivery': 'd-1',
    'x-github-event': 'issues',
    ...(signature && { 'x-rsa': signature }),
  };
  const answer = await endpoint.app.inject({ method: 'POST', url: '/v1/events/default/rsa', headers, payload: body });
  return [answer.statusCode, answer.json().code ?? endpoint.admission.events[0]?.secretIndex];
}

const signed = createSign('sha256').update('{"a":1}').sign(privateKey, 'base64');

it('SIG-2 a plugin may bring a verifier of its own, over the exact bytes', async () => {
  expect(await post(signed)).toEqual([200, 0]);
});

it.each([
  ['changed bytes', signed, '{"a": 1}', 'signature_invalid'],
  ['no signature', null, '{"a":1}', 'signature_missing'],
  ['an old one', 'old', '{"a":1}', 'timestamp_out_of_window'],
  ['a verifier that throws', 'broken', '{"a":1}', 'signature_invalid'],
])('SIG-1 SIG-2 refuses %s', async (_, signature, body, code) => {
  expect(await post(signature, body)).toEqual([401, code]);
});
