import 'reflect-metadata';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { HttpOptions } from '../../src/http/http-options.js';
import type { EventSource } from '../../src/ingress/event-source.js';
import { presets } from '../../src/plugin/signatures/presets.js';
import { Wire } from '../http/wire.js';
import { type Endpoint, githubHeaders, githubTransport, sign, source, startEndpoint } from './outside.js';

let endpoint: Endpoint;
afterEach(() => endpoint.app.close());

async function listen(
  sources: EventSource[] = [source('gh', githubTransport, { bodyLimit: 1_000 })],
  options: Partial<HttpOptions> = {},
): Promise<Wire> {
  endpoint = await startEndpoint(sources, options);
  await endpoint.app.listen(0, '127.0.0.1');
  return Wire.open(endpoint.app);
}

const head = (headers: Record<string, string | number>, path = '/v1/events/default/gh') => [
  `POST ${path} HTTP/1.1`,
  'host: hooks.example.test',
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  '',
  '',
];

const chunk = (length: number) => `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`;
const body = '{"a":1}';
const signature = `sha256=${sign(body)}`;
const signed = { ...githubHeaders(body), 'content-length': body.length };

describe('ING-1 the limit of a body on the wire', () => {
  it('refuses by the declared length before a byte of the body came', async () => {
    const wire = await listen();
    wire.send(...head({ 'content-type': 'application/json', 'content-length': 5_000 }));
    expect(await wire.until('body_too_large')).toMatch('HTTP/1.1 413');
  });

  it('refuses while a body without length is still coming', async () => {
    const wire = await listen();
    wire.send(...head({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' })).send(chunk(900));
    wire.send(chunk(200));
    expect(await wire.until('body_too_large')).toMatch('HTTP/1.1 413');
  });

  it('cuts a client that goes on sending after it was refused', async () => {
    const wire = await listen(undefined, { lingerMs: 50 });
    wire.send(...head({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' })).send(chunk(2_000));
    expect(await wire.closed()).toMatch('body_too_large');
  });

  it('keeps the connection of a client that was refused and finished', async () => {
    const wire = await listen();
    wire.send(...head({ 'content-type': 'application/json', 'content-length': 1_100 })).send('x'.repeat(1_100));
    await wire.until('body_too_large');
    wire.send(...head(signed)).send(body);
    expect(await wire.until('"received":true')).toMatch('HTTP/1.1 200');
  });
});

describe('ING-4 clients that misbehave', () => {
  it('survives one that leaves in the middle of a body, and admits nothing of it', async () => {
    const wire = await listen();
    wire.send(...head({ ...signed, 'content-length': 500 })).send('{"half');
    wire.cut();
    await wire.closed();
    const next = await Wire.open(endpoint.app);
    next.send(...head(signed)).send(body);
    await next.until('"received":true');
    expect(endpoint.admission.events).toHaveLength(1);
  });

  it('ends one that never finishes its body', async () => {
    const wire = await listen(undefined, { requestTimeoutMs: 150, timeoutCheckMs: 50 });
    wire.send(...head({ ...signed, 'content-length': 500 })).send('{"slow');
    expect(await wire.closed()).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    expect(endpoint.admission.events).toEqual([]);
  });

  it('answers what is no HTTP with problem details', async () => {
    const wire = await listen();
    wire.send('NONSENSE', '', '');
    expect(await wire.closed()).toMatch(/^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*"code":"bad_request"/);
  });
});

describe('SIG-1 headers on the wire', () => {
  it('takes a signature that came twice for none, even when both are right', async () => {
    const wire = await listen();
    const lines = head(signed);
    wire.send(...lines.slice(0, 2), `X-Hub-Signature-256: ${signature}`, ...lines.slice(2)).send(body);
    expect(await wire.until('signature_invalid')).toMatch('HTTP/1.1 401');
  });

  it('refuses two content types, of which proxies could each believe another', async () => {
    const wire = await listen();
    const lines = head(signed);
    wire.send(...lines.slice(0, 2), 'Content-Type: text/plain', ...lines.slice(2)).send(body);
    expect(await wire.until('unsupported_media_type')).toMatch('HTTP/1.1 415');
  });

  it('refuses a delivery id that came twice', async () => {
    const wire = await listen();
    const lines = head(signed);
    wire.send(...lines.slice(0, 2), 'X-GitHub-Delivery: other', ...lines.slice(2)).send(body);
    expect(await wire.until('invalid_payload')).toMatch('HTTP/1.1 400');
  });
});

describe('SIG-2 schemes that sign the URL', () => {
  const square = source('sq', { ...githubTransport, signature: () => presets.square });
  const signedUrl = (url: string) => Buffer.from(sign(`${url}${body}`), 'hex').toString('base64');
  const postSigned = (wire: Wire, url: string, more: Record<string, string> = {}) =>
    wire.send(...head({ ...signed, ...more, 'x-square-hmacsha256-signature': signedUrl(url) }, '/v1/events/default/sq?team=1')).send(body);

  it('use the public address of the configuration', async () => {
    const wire = await listen([square], { publicUrl: 'https://public.example.test/hooks/' });
    postSigned(wire, 'https://public.example.test/hooks/v1/events/default/sq?team=1');
    await wire.until('"received":true');
  });

  it('use what the request says, and what a proxy says only where it is trusted', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'proxied.example.test' };
    const proxied = 'https://proxied.example.test/v1/events/default/sq?team=1';
    const direct = await listen([square]);
    postSigned(direct, 'http://hooks.example.test/v1/events/default/sq?team=1');
    await direct.until('"received":true');
    const liar = await Wire.open(endpoint.app);
    postSigned(liar, proxied, forwarded);
    await liar.until('signature_invalid');
    await endpoint.app.close();
    const trusted = await listen([square], { trustedProxies: ['127.0.0.1'] });
    postSigned(trusted, proxied, forwarded);
    await trusted.until('"received":true');
  });
});
