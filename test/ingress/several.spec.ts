import 'reflect-metadata';
import { afterEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../../src/core/admission/store-unavailable.js';
import { InvalidInput, type ProviderEvent, type WebhookTransport } from '../../src/plugin/index.js';
import { type Endpoint, githubHeaders, githubTransport, source, startEndpoint } from './outside.js';

/** The body is the list of events; a text in their place is thrown. */
const batches: WebhookTransport = {
  ...githubTransport,
  preflight: (headers) => (headers['may-i'] === undefined ? null : { status: 200, body: '', headers: { allow: 'POST', 'you-may': 'yes' } }),
  events: ({ payload }) => {
    if (typeof payload === 'string') throw new InvalidInput(payload);
    return Array.isArray(payload) ? (payload as ProviderEvent[]) : null;
  },
};

let endpoint: Endpoint;
afterEach(() => endpoint.app.close());

const event = (deliveryId: string) => ({ deliveryId, eventKey: 'ticket', payload: { deliveryId } });

function post(payload: unknown) {
  const body = JSON.stringify(payload);
  return endpoint.app.inject({ method: 'POST', url: '/v1/events/default/gh', headers: githubHeaders(body), payload: body });
}

describe('several events in one request', () => {
  it('ING-1 ACC-13 are stored together, each answered on its own', async () => {
    endpoint = await startEndpoint([source('gh', batches)]);
    const answer = await post([event('a'), event('b')]);
    expect(answer.json()).toMatchObject({ received: true, duplicate: false, events: [{ receipt: 'receipt-a' }, { receipt: 'receipt-b' }] });
    expect(endpoint.admission.events).toMatchObject([
      { deliveryId: 'a', secretIndex: 0, payload: { deliveryId: 'a' }, body: Buffer.from('{"deliveryId":"a"}') },
      { deliveryId: 'b' },
    ]);
    expect((await post([event('a'), event('c')])).json()).toMatchObject({
      duplicate: false,
      events: [{ duplicate: true }, { duplicate: false }],
    });
    expect((await post([event('a'), event('b')])).json()).toMatchObject({ duplicate: true });
  });

  it('that are one are answered as one, and none at all as none', async () => {
    endpoint = await startEndpoint([source('gh', batches)]);
    expect((await post([event('a')])).json()).toMatchObject({ received: true, receipt: 'receipt-a' });
    expect((await post([])).json()).toEqual({ received: true, duplicate: false, events: [] });
    expect((await post({ plain: true })).json()).toMatchObject({ receipt: 'receipt-d-1' });
  });

  it('ING-1 are refused whole where one of them is malformed, or the store is down', async () => {
    endpoint = await startEndpoint([source('gh', batches, { bodyLimit: 1_000_000 })]);
    for (const wrong of [
      [event('a'), event('')],
      [event('a'), { ...event('b'), eventKey: 'x'.repeat(300) }],
      Array.from({ length: 1001 }, (_, n) => event(String(n))),
      'It is not what it should be.',
    ])
      expect((await post(wrong)).json()).toMatchObject({ status: 400, code: 'invalid_payload' });
    endpoint.admission.failure = new StoreUnavailable('down');
    expect((await post([event('a'), event('b')])).json()).toMatchObject({ status: 503, code: 'store_unavailable' });
    expect(endpoint.admission.events).toEqual([]);
  });
});

describe('leave to send', () => {
  it('is given where the plugin gives it, and to nobody else', async () => {
    endpoint = await startEndpoint([source('gh', batches), source('plain', githubTransport)]);
    const ask = (name: string, headers: Record<string, string>) =>
      endpoint.app.inject({ method: 'OPTIONS', url: `/v1/events/default/${name}`, headers });
    const given = await ask('gh', { 'may-i': 'post' });
    expect([given.statusCode, given.body, given.headers.allow, given.headers['you-may']]).toEqual([200, '', 'POST', 'yes']);
    expect((await ask('gh', {})).json()).toMatchObject({ status: 404, code: 'not_found' });
    expect((await ask('plain', { 'may-i': 'post' })).json()).toMatchObject({ status: 404, code: 'not_found' });
    expect((await ask('nobody', { 'may-i': 'post' })).json()).toMatchObject({ status: 404, code: 'unknown_source' });
  });
});
