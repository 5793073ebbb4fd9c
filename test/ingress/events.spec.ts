import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../../src/core/admission/store-unavailable.js';
import type { EventSource } from '../../src/ingress/event-source.js';
import { type Endpoint, githubHeaders, githubTransport, linearTransport, sign, source, startEndpoint } from './outside.js';

let endpoint: Endpoint;
afterEach(() => endpoint.app.close());

interface Sent {
  body?: string | Buffer;
  headers?: Record<string, string>;
  to?: string;
}

async function start(...sources: EventSource[]): Promise<void> {
  endpoint = await startEndpoint(sources.length > 0 ? sources : [source('gh', githubTransport)]);
}

function post({ body = '{"a":1}', headers = githubHeaders(body), to = 'default/gh' }: Sent = {}) {
  return endpoint.app.inject({ method: 'POST', url: `/v1/events/${to}`, headers, payload: body });
}

async function codeOf(sent: Sent): Promise<[number, string]> {
  const answer = await post(sent);
  expect(answer.headers['content-type']).toMatch('application/problem+json');
  return [answer.statusCode, answer.json().code];
}

const fixture = (name: string) => readFileSync(new URL(`../fixtures/github/_constructed/${name}`, import.meta.url));

describe('ING-1 the order of refusals', () => {
  it('answers an authentic event with what was decided, after it was admitted', async () => {
    await start();
    const answer = await post();
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      received: true,
      duplicate: false,
      receipt: 'receipt-d-1',
      disposition: 'unmatched',
      reason: null,
      matched: 0,
      deliveries: [],
      runs_created: [],
      conversations_continued: [],
    });
    expect(endpoint.admission.events[0]).toMatchObject({
      org: 'default',
      source: 'gh',
      deliveryId: 'd-1',
      eventKey: 'issues',
      secretIndex: 0,
    });
  });

  it('ACC-2 ING-3 answers a repeated id as a duplicate, with 200', async () => {
    await start();
    await post();
    expect((await post()).json()).toMatchObject({ received: true, duplicate: true });
  });

  it('names the first thing that is wrong: source, type, size, signature, content, id', async () => {
    await start(source('gh', githubTransport, { bodyLimit: 64 }));
    const wrong = { body: 'x'.repeat(100), headers: { 'content-type': 'text/plain' } };
    expect(await codeOf({ ...wrong, to: 'default/nobody' })).toEqual([404, 'unknown_source']);
    expect(await codeOf({ ...wrong, to: 'other/gh' })).toEqual([404, 'unknown_source']);
    expect(await codeOf({ ...wrong, to: `default/${'n'.repeat(600)}` })).toEqual([404, 'unknown_source']);
    expect(await codeOf({ ...wrong, headers: { 'content-type': 'nonsense' }, to: 'default/nobody' })).toEqual([404, 'unknown_source']);
    expect(await codeOf(wrong)).toEqual([415, 'unsupported_media_type']);
    expect(await codeOf({ ...wrong, headers: { 'content-type': 'nonsense' } })).toEqual([415, 'unsupported_media_type']);
    expect(await codeOf({ ...wrong, headers: { 'content-type': 'application/json' } })).toEqual([413, 'body_too_large']);
    expect(await codeOf({ body: '{', headers: { 'content-type': 'application/json' } })).toEqual([401, 'signature_missing']);
    expect(await codeOf({ body: '{', headers: githubHeaders('[') })).toEqual([401, 'signature_invalid']);
    expect(await codeOf({ body: '{', headers: { ...githubHeaders('{'), 'x-github-delivery': '' } })).toEqual([400, 'invalid_json']);
    expect(await codeOf({ headers: { ...githubHeaders('{"a":1}'), 'x-github-delivery': '' } })).toEqual([400, 'invalid_payload']);
    expect(endpoint.admission.events).toEqual([]);
  });

  it('takes every JSON type, forms only where the transport has them, and nothing compressed', async () => {
    await start(source('gh', githubTransport), source('lin', linearTransport));
    const typed = (type: string) => post({ headers: { ...githubHeaders('{"a":1}'), 'content-type': type } });
    expect((await typed('application/vnd.acme.v1+json; charset=utf-8')).statusCode).toBe(200);
    expect((await typed('text/json')).statusCode).toBe(415);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await codeOf({ headers: form, to: 'default/lin' })).toEqual([415, 'unsupported_media_type']);
    expect(await codeOf({ headers: { ...githubHeaders('{"a":1}'), 'content-encoding': 'gzip' } })).toEqual([415, 'unsupported_media_type']);
  });
});

describe('SIG-3 time', () => {
  const stamped = (ageMs: number) => JSON.stringify({ type: 'Issue', webhookTimestamp: Date.now() - ageMs });
  const postLinear = (body: string, secret?: string) =>
    post({
      body,
      to: 'default/lin',
      headers: { 'content-type': 'application/json; charset=utf-8', 'linear-delivery': 'l-1', 'linear-signature': sign(body, secret) },
    });

  it('refuses an authentic event outside its window, and takes one that is late as far as the source allows', async () => {
    await start(source('lin', linearTransport, { acceptLateMs: 7 * 3_600_000 }));
    expect((await postLinear(stamped(0))).statusCode).toBe(200);
    expect((await postLinear(stamped(6 * 3_600_000 + 61_000))).statusCode).toBe(200);
    expect((await postLinear(stamped(8 * 3_600_000))).json()).toMatchObject({ status: 401, code: 'timestamp_out_of_window' });
    expect((await postLinear(stamped(-120_000))).json()).toMatchObject({ code: 'timestamp_out_of_window' });
    expect((await postLinear(stamped(3_600_000), 'forged')).json()).toMatchObject({ code: 'signature_invalid' });
    expect(endpoint.admission.events[0]?.uniqueContent).toBeInstanceOf(Buffer);
  });

  it("measures by the database's clock", async () => {
    await start(source('lin', linearTransport));
    endpoint.clock.offset = 300_000;
    expect((await postLinear(stamped(0))).statusCode).toBe(401);
    expect((await postLinear(stamped(-300_000))).statusCode).toBe(200);
  });

  it('answers a signed body that is no JSON as such, not as a forgery', async () => {
    await start(source('lin', linearTransport));
    expect((await postLinear('{"webhookTimestamp":')).json()).toMatchObject({ status: 400, code: 'invalid_json' });
  });
});

describe('SIG-1 SIG-2 SIG-4 who may send', () => {
  it('records which of two active secrets verified', async () => {
    await start(source('gh', githubTransport, { secrets: ['new', "It's a Secret to Everybody"] }));
    await post();
    expect(endpoint.admission.events[0]?.secretIndex).toBe(1);
  });

  it('believes unsigned events only where that was asked for, without a secret, from this machine', async () => {
    await start(
      source('open', githubTransport, { secrets: [], insecure: true }),
      source('closed', githubTransport, { secrets: [] }),
      source('signed', githubTransport, { insecure: true }),
    );
    const unsigned = { 'content-type': 'application/json', 'x-github-delivery': 'd' };
    const remote = {
      method: 'POST',
      url: '/v1/events/default/open',
      headers: unsigned,
      payload: '{}',
      remoteAddress: '203.0.113.9',
    } as const;
    expect((await post({ headers: unsigned, to: 'default/open' })).statusCode).toBe(200);
    expect(endpoint.admission.events[0]?.secretIndex).toBeNull();
    expect((await endpoint.app.inject(remote)).json().code).toBe('signature_missing');
    expect(await codeOf({ headers: { ...unsigned, 'x-forwarded-for': '203.0.113.9' }, to: 'default/open' })).toEqual([
      401,
      'signature_missing',
    ]);
    expect(await codeOf({ headers: unsigned, to: 'default/signed' })).toEqual([401, 'signature_missing']);
    expect(await codeOf({ to: 'default/closed' })).toEqual([401, 'signature_invalid']);
  });
});

describe('ING-1 bodies that are signed and strange', () => {
  it.each([
    ['emoji and U+2028', Buffer.from('{"t":"👩‍👩‍👧 \u2028 \\ud800"}'), 200],
    ['a byte order mark', Buffer.from('\ufeff{"t":1}'), 200],
    ['__proto__ as a key', Buffer.from('{"__proto__":{"admin":true}}'), 200],
    ['512 levels', Buffer.from('['.repeat(512) + ']'.repeat(512)), 200],
    ['513 levels', Buffer.from('['.repeat(513) + ']'.repeat(513)), 400],
    ['100,000 levels', Buffer.from(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`), 400],
    ['100,000 unclosed levels', Buffer.from('['.repeat(100_000)), 400],
    ['brackets in strings', Buffer.from(JSON.stringify({ t: `\\"${'['.repeat(2_000)}` })), 200],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400],
    ['nothing', Buffer.alloc(0), 400],
  ])('answers %s', async (_name, body, status) => {
    await start(source('gh', githubTransport, { bodyLimit: 2_000_000 }));
    const answer = await post({ body });
    expect(answer.statusCode).toBe(status);
    if (status === 400) expect(answer.json().code).toBe('invalid_json');
    else expect(endpoint.admission.events[0]?.body.equals(body)).toBe(true);
  });

  it('keeps __proto__ as an own key', async () => {
    await start();
    await post({ body: '{"__proto__":{"admin":true}}' });
    const payload = endpoint.admission.events[0]?.payload as object;
    expect(Object.keys(payload)).toEqual(['__proto__']);
    expect('admin' in payload).toBe(false);
  });

  it.each([
    ['600 characters', 'i'.repeat(600), 400],
    ['256 characters', 'i'.repeat(256), 400],
    ['255 characters', 'i'.repeat(255), 200],
  ])('takes a delivery id of %s by its length', async (_name, id, status) => {
    await start();
    const answer = await post({ headers: githubHeaders('{"a":1}', id) });
    expect(answer.statusCode).toBe(status);
    if (status === 400) expect(answer.json().code).toBe('invalid_payload');
  });

  it.each([
    ['255 emoji', '🚀'.repeat(255), 200],
    ['256 emoji', '🚀'.repeat(256), 400],
    ['NUL', 'a\0b', 400],
    ['half a character', 'a\ud800', 400],
  ])('counts code points and refuses what is no text: an id with %s', async (_name, id, status) => {
    await start(source('gh', { ...githubTransport, deliveryId: ({ payload }) => (payload as { id: string }).id }));
    expect((await post({ body: JSON.stringify({ id }) })).statusCode).toBe(status);
  });

  it('reads the event from a form, and verifies the form', async () => {
    await start();
    const body = fixture('issue_comment.created.form-urlencoded.txt');
    const headers = { ...githubHeaders(body), 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post({ body, headers })).statusCode).toBe(200);
    expect(endpoint.admission.events[0]?.payload).toMatchObject({ action: 'created', issue: { number: expect.any(Number) } });
    expect(endpoint.admission.events[0]?.body.equals(body)).toBe(true);
    const ping = fixture('ping.payload.form-urlencoded.txt');
    expect(
      (await post({ body: ping, headers: { ...headers, ...githubHeaders(ping, 'd-2'), 'content-type': headers['content-type'] } }))
        .statusCode,
    ).toBe(200);
  });

  it.each([
    ['a field that is no JSON', 'payload=%7B', 'invalid_json'],
    ['a field of 100,000 levels', `payload=${'%5B'.repeat(100_000)}${'%5D'.repeat(100_000)}`, 'invalid_json'],
    ['bytes that are no UTF-8', 'payload=%FF', 'invalid_payload'],
  ])('refuses a form with %s', async (_name, body, code) => {
    await start(source('gh', githubTransport, { bodyLimit: 2_000_000 }));
    expect(await codeOf({ body, headers: { ...githubHeaders(body), 'content-type': 'application/x-www-form-urlencoded' } })).toEqual([
      400,
      code,
    ]);
  });
});

describe('ING-4 what happens behind the door', () => {
  it('answers 503 with Retry-After while the store is down, and takes the same event afterwards', async () => {
    await start();
    endpoint.admission.failure = new StoreUnavailable();
    const refused = await post();
    expect([refused.statusCode, refused.headers['retry-after'], refused.json().code]).toEqual([503, '5', 'store_unavailable']);
    endpoint.admission.failure = null;
    expect((await post()).json()).toMatchObject({ received: true, duplicate: false });
  });

  it('tells nothing of an error that nobody expected', async () => {
    await start();
    endpoint.admission.failure = new Error('password=hunter2');
    const answer = await post();
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual({
      type: 'urn:throughline:problem:internal',
      title: 'Internal',
      status: 500,
      code: 'internal',
      instance: expect.stringMatching(/^urn:uuid:/),
    });
  });

  it('records an authentic event whose parser throws', async () => {
    await start(
      source('gh', githubTransport, {
        subjects: {
          parse: () => {
            throw new TypeError('broken');
          },
        },
      }),
    );
    expect((await post()).statusCode).toBe(200);
    expect(endpoint.admission.events[0]?.parsed).toEqual({ kind: 'recorded', reason: 'parser_failed', subject: null });
  });

  it('lets a plugin answer a handshake without an event, after the signature', async () => {
    const handshake = ({ payload }: { payload: unknown }) => ({ status: 200, body: (payload as { challenge: string }).challenge });
    await start(source('gh', { ...githubTransport, handshake }));
    const body = '{"challenge":"c-1"}';
    const answer = await post({ body, headers: githubHeaders(body) });
    expect([answer.statusCode, answer.body, answer.headers['content-type']]).toEqual([200, 'c-1', 'text/plain; charset=utf-8']);
    expect(await codeOf({ body, headers: githubHeaders('other') })).toEqual([401, 'signature_invalid']);
    expect(endpoint.admission.events).toEqual([]);
  });

  it('lets a plugin word the answer, and answers 200 when that fails after the commit', async () => {
    let broken = false;
    const reply = ({ receipt }: { receipt: string }) => {
      if (broken) throw new Error('no words');
      return { status: 202, body: { ok: receipt }, headers: { 'x-own': '1' } };
    };
    await start(source('gh', { ...githubTransport, reply }));
    const answer = await post();
    expect([answer.statusCode, answer.json(), answer.headers['x-own']]).toEqual([202, { ok: 'receipt-d-1' }, '1']);
    broken = true;
    expect((await post()).json()).toMatchObject({ received: true, duplicate: true });
  });
});

describe('ING-5 the budget of a source', () => {
  const rate = { perSecond: 0.001, burst: 3 };

  it('refuses authentic events above the budget, with the time to wait, and leaves other sources alone', async () => {
    await start(source('gh', githubTransport, { rate }), source('other', githubTransport, { rate }));
    for (const id of ['1', '2', '3']) expect((await post({ headers: githubHeaders('{"a":1}', id) })).statusCode).toBe(200);
    const refused = await post({ headers: githubHeaders('{"a":1}', '4') });
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(900);
    expect((await post({ to: 'default/other' })).statusCode).toBe(200);
  });

  it('is not used up by a flood that nobody signed', async () => {
    await start(source('gh', githubTransport, { rate }));
    const flood = await Promise.all(Array.from({ length: 200 }, () => post({ headers: githubHeaders('forged') })));
    expect(new Set(flood.map((answer) => answer.statusCode))).toEqual(new Set([401]));
    expect((await post()).statusCode).toBe(200);
  });
});
