import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { connection, read, request, webhook } from './webhook.requests.js';

const idOf = (payload: unknown, headers: Record<string, string | string[]>, deliveryId?: unknown) =>
  read(request(payload, headers), { deliveryId }).id;
const keyOf = (payload: unknown, headers: Record<string, string | string[]>, eventKey?: unknown) =>
  read(request(payload, headers), { eventKey }).key;

describe('the delivery id of a mapped request', () => {
  it('ACC-1 is what the expression or the header gives', () => {
    expect(idOf({ id: 'evt_1' }, {}, 'id')).toBe('evt_1');
    expect(idOf({ id: 17 }, {}, 'id')).toBe('17');
    expect(idOf({}, { 'x-id': ' a ' }, { header: 'X-Id' })).toBe('a');
    expect(idOf({}, { 'x-second': 'b' }, { header: ['x-first', 'x-second'] })).toBe('b');
    expect(idOf({ id: 'b' }, { 'x-tenant': 'a' }, [{ header: 'x-tenant' }, 'id'])).toBe('a b');
  });

  it('is missing where a part of it is, or is ambiguous', () => {
    expect(idOf({ id: null }, {}, 'id')).toBeNull();
    expect(idOf({ id: true }, {}, 'id')).toBeNull();
    expect(idOf({ id: 2 ** 60 }, {}, 'id')).toBeNull();
    expect(idOf({ id: 'b' }, {}, [{ header: 'x-tenant' }, 'id'])).toBeNull();
    expect(idOf({}, { 'x-id': ['a', 'b'] }, { header: 'x-id' })).toBeNull();
    expect(idOf({}, {}, { header: 'constructor' })).toBeNull();
  });

  it('is a digest of the body where nothing is said, so that a retry has the same', () => {
    const body = JSON.stringify({ a: 1 });
    expect(idOf({ a: 1 }, {})).toBe(`sha256:${createHash('sha256').update(body).digest('hex')}`);
    expect(idOf({ a: 1 }, { 'x-try': '2' })).toBe(idOf({ a: 1 }, {}));
    expect(idOf({ a: 2 }, {})).not.toBe(idOf({ a: 1 }, {}));
  });
});

describe('the event key of a mapped request', () => {
  it('is its parts, joined with dots', () => {
    expect(keyOf({ action: 'created' }, { 'sentry-hook-resource': 'issue' }, [{ header: 'sentry-hook-resource' }, 'action'])).toBe(
      'issue.created',
    );
    expect(keyOf({}, { 'sentry-hook-resource': 'issue' }, [{ header: 'sentry-hook-resource' }, 'action'])).toBe('issue');
    expect(keyOf({}, {}, 'type')).toBe('unknown');
  });

  it('is found where most senders have it, where nothing is said', () => {
    expect(keyOf({ type: 'invoice.paid' }, {})).toBe('invoice.paid');
    expect(keyOf({ object_kind: 'push' }, {})).toBe('push');
    expect(keyOf({ hello: 'world' }, {})).toBe('event');
  });
});

describe('what is unique about a mapped request', () => {
  it('ACC-10 is its body, where the connection says so alone', () => {
    const sent = request({ a: 1 });
    expect(webhook.uniqueContent(sent, connection())).toBeNull();
    expect(webhook.uniqueContent(sent, connection({ uniqueBodies: true }))).toEqual(sent.body);
  });
});

describe('the signature of a mapped request', () => {
  it('SIG-2 is a preset, with another header where it has one, or a scheme in parameters', () => {
    expect(webhook.signature(connection())).toMatchObject({ algorithm: 'hmac-sha256', signature: { header: 'x-signature-256' } });
    const named = { signature: 'hmac-sha512-hex', signatureHeader: 'X-Acme-Signature' };
    expect(webhook.signature(connection(named))).toMatchObject({ algorithm: 'hmac-sha512', signature: { header: 'x-acme-signature' } });
    const parameters = { algorithm: 'token', signature: { header: 'x-token' } };
    expect(webhook.signature(connection({ signature: parameters }))).toMatchObject(parameters);
    expect(webhook.signature(connection({ signature: 'none' }))).toMatchObject({ algorithm: 'hmac-sha256' });
  });
});
