import { describe, expect, it } from '@jest/globals';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import fc from 'fast-check';
import { holds, vectorsOf } from '../signature-vectors.js';
import { linearFixture, request, SECRET, webhook } from './linear.requests.js';

const comment = linearFixture('comment.create');

describe('the Linear webhook', () => {
  it.each(vectorsOf('linear'))('SIG-3 describes the scheme so that $id is judged rightly: $why', (vector) => {
    expect(holds(vector, webhook.signature())).toBe(vector.valid);
  });

  it('signs its requests as the SDK of Linear verifies them', () => {
    const now = { ...comment, webhookTimestamp: Date.now() };
    const { body, headers } = request(now);
    const verified = new LinearWebhookClient(SECRET).verify(body, String(headers['linear-signature']));
    expect(verified).toBe(true);
  });

  it('SIG-3 B14 waits as long as the retries of Linear take: 1 minute, 1 hour, 6 hours', () => {
    expect(webhook.acceptLateMs).toBe(7 * 60 * 60 * 1000);
    expect(webhook.signature().timestamp).toEqual({ from: { body: 'webhookTimestamp' }, unit: 'ms', toleranceSeconds: 60 });
  });

  it('ING-1 takes bodies up to 5 MB', () => {
    expect(webhook.bodyLimit).toBe(5 * 1024 * 1024);
  });

  it('B4 names a delivery by its header, and three deliveries of one webhook by three names', () => {
    const ids = ['d-1', 'd-2', 'd-3'].map((id) => webhook.deliveryId(request(comment, { 'linear-delivery': id })));
    expect(ids).toEqual(['d-1', 'd-2', 'd-3']);
  });

  it.each([[undefined], [''], ['  '], [['a', 'b']]])('finds no delivery id in the header %j', (header) => {
    expect(webhook.deliveryId(request(comment, { 'linear-delivery': header }))).toBeNull();
  });

  it.each([
    [{ type: 'Issue', action: 'update' }, 'Issue.update'],
    [{ type: 'AgentSessionEvent', action: 'created' }, 'AgentSessionEvent.created'],
    [{ type: 'Issue' }, 'Issue'],
    [{ type: 'Issue', action: 'a b' }, 'Issue'],
    [{ type: 'x'.repeat(65), action: 7 }, 'unknown'],
    [[], 'unknown'],
    [null, 'unknown'],
  ])('calls %j the event %s', (payload, key) => {
    expect(webhook.eventKey(request(payload))).toBe(key);
  });

  it('believes the signed body, not the header, about the kind of an event', () => {
    expect(webhook.eventKey(request(comment, { 'linear-event': 'Issue' }))).toBe('Comment.create');
  });
});

describe('what identifies a Linear event beside its id', () => {
  const identity = (payload: unknown) => webhook.uniqueContent(request(payload));

  it('ACC-10 is equal for a retry with a fresh timestamp, whatever the order of the keys', () => {
    const retry = Object.fromEntries(Object.entries({ ...comment, webhookTimestamp: 1 }).reverse());
    expect(identity(retry)).toBe(identity(comment));
  });

  it('ACC-10 differs as soon as anything else in the body does', () => {
    expect(identity({ ...comment, data: { ...comment.data, updatedAt: '2026-01-01T00:00:00.001Z' } })).not.toBe(identity(comment));
    expect(identity({ ...comment, action: 'update' })).not.toBe(identity(comment));
  });

  it('ACC-10 leaves out the timestamp of the body alone, not one that somebody wrote deeper', () => {
    const deeper = (webhookTimestamp: number) => identity({ ...comment, data: { ...comment.data, webhookTimestamp } });
    expect(deeper(1)).not.toBe(deeper(2));
  });

  it('ACC-10 is nothing for a body that is no object', () => {
    expect([[], 'text', 7, null].map(identity)).toEqual([null, null, null, null]);
  });

  it('ACC-10 is the body as JSON, `__proto__` included, less its timestamp', () => {
    const member = fc.tuple(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'webhookTimestamp')), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(member), (members) => {
        const body: object = JSON.parse(JSON.stringify(Object.fromEntries(members)));
        const { webhookTimestamp: _, ...rest } = body as { webhookTimestamp?: unknown };
        expect(JSON.parse(identity(body) ?? '')).toStrictEqual(rest);
      }),
    );
  });
});
