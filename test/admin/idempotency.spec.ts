import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { comment } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('writes with an Idempotency-Key', (make) => {
  let host: AdminHost;
  let count = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make);
  });
  afterAll(() => host.close());

  const conversation = async () => delivered(await host.core.admit(comment(`subject-${++count}`))).conversation;
  const sequences = async (id: string) => (await host.core.deliveries(id)).map(({ sequence }) => sequence);

  it('ACC-12 the same request with the same key is done once, and gets the first result', async () => {
    const id = await conversation();
    const send = () => host.post(`/v1/conversations/${id}/messages`, { text: 'hello' }, { key: 'k-1' });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(await sequences(id)).toEqual([1, 2]);
  });

  it('ADM-2 the same key with another body, or for another address, is refused', async () => {
    const id = await conversation();
    const messages = `/v1/conversations/${id}/messages`;
    expect((await host.post(messages, { text: 'one' }, { key: 'k-2' })).status).toBe(202);
    for (const other of [
      await host.post(messages, { text: 'two' }, { key: 'k-2' }),
      await host.post(`/v1/conversations/${id}/stop`, undefined, { key: 'k-2' }),
    ])
      expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await sequences(id)).toEqual([1, 2]);
  });

  it('ADM-2 of ten requests at once with one key one is done, and the others have its result or are asked to come again', async () => {
    const id = await conversation();
    const send = () => host.post(`/v1/conversations/${id}/messages`, { text: 'hello' }, { key: 'k-3' });
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    for (const { status, body, headers } of answers.filter((answer) => answer.status !== 202)) {
      expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
      expect(headers['retry-after']).toBe('1');
    }
    expect(new Set(answers.flatMap(({ status, body }) => (status === 202 ? [body.receipt] : []))).size).toBe(1);
    expect((await send()).headers['idempotency-replayed']).toBe('true');
    expect(await sequences(id)).toEqual([1, 2]);
  });

  it('ADM-2 a refusal for the state of things is the first result too; a malformed request has none', async () => {
    const id = await conversation();
    const stop = () => host.post(`/v1/conversations/${id}/stop`, undefined, { key: 'k-4' });
    const [first, second] = [await stop(), await stop()];
    expect([first.status, second.status]).toEqual([409, 409]);
    expect({ ...second.body, instance: '' }).toEqual({ ...first.body, instance: '' });
    expect(second.headers['idempotency-replayed']).toBe('true');
    const messages = `/v1/conversations/${id}/messages`;
    expect((await host.post(messages, { txt: 'typing error' }, { key: 'k-5' })).status).toBe(400);
    expect((await host.post(messages, { text: 'mended' }, { key: 'k-5' })).status).toBe(202);
  });

  it('ADM-2 a key of a process that died in the middle may be used again after a while', async () => {
    const id = await conversation();
    const send = () => host.post(`/v1/conversations/${id}/messages`, { text: 'hello' }, { key: 'k-6' });
    await send();
    await host.change("update idempotency_keys set status = null, response = null where key = 'k-6'");
    expect((await send()).body.code).toBe('idempotency_key_in_use');
    await host.change("update idempotency_keys set created_at = 1 where key = 'k-6'");
    // The message itself is known under its key: it is not said twice.
    expect((await send()).body).toMatchObject({ duplicate: true, disposition: 'routed' });
    expect(await sequences(id)).toEqual([1, 2]);
  });

  it('ADM-2 what cannot be put into the audit log is not done, and its key is free again', async () => {
    const { receipt } = await host.core.admit(comment(`subject-${++count}`));
    const receipts = await host.core.count('receipts');
    const replay = () => host.post(`/v1/receipts/${receipt}/replay`, { force: true }, { key: 'k-7' });
    await host.change('alter table audit rename to lost');
    expect((await replay()).status).toBe(500);
    await host.change('alter table lost rename to audit');
    expect(await host.core.count('receipts')).toBe(receipts);
    expect((await replay()).status).toBe(200);
    expect((await replay()).headers['idempotency-replayed']).toBe('true');
    expect(await host.core.count('receipts')).toBe(receipts + 1);
  });

  it('ACC-12 messages without a key are messages of their own, and a key of 256 characters is refused', async () => {
    const id = await conversation();
    const messages = `/v1/conversations/${id}/messages`;
    for (let i = 0; i < 2; i += 1) await host.post(messages, { text: 'hello' });
    expect(await sequences(id)).toEqual([1, 2, 3]);
    expect((await host.post(messages, { text: 'hello' }, { key: 'k'.repeat(255) })).status).toBe(202);
    const { status, body } = await host.post(messages, { text: 'hello' }, { key: 'k'.repeat(256) });
    expect([status, body.errors[0].path]).toEqual([400, 'Idempotency-Key']);
  });
});
