import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { comment, route } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { callback, confirm, execute, ids, lose, refuse, type Write } from '../core/effects/writes.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('effects through the admin API', (make) => {
  let host: AdminHost;
  let count = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make, route(), route({ name: 'audit', scope: 'automation' }));
  });
  afterAll(() => host.close());

  const lost = async (): Promise<Write> => {
    const write = await execute(host.core, `subject-${++count}`);
    await lose(host.core, write);
    return write;
  };
  const absent = (write: Write, body: unknown = { verified_absent: true }, key?: string) =>
    host.post(`/webhook-effects/${write.id}/reconcile-absent`, body, key === undefined ? {} : { key });
  const present = (write: Write, body: unknown) => host.post(`/webhook-effects/${write.id}/reconcile-present`, body);
  const theUnknown = async () => (await host.get('/webhook-effects?limit=200')).body.items.map(({ id }: { id: string }) => id);

  it('EFF-5 those of unknown outcome are listed, others where they are asked for, newest first and page by page', async () => {
    const confirmed = await execute(host.core, `subject-${++count}`);
    await confirm(host.core, confirmed, 'c');
    const writes = [await lost(), await lost(), await lost()];
    expect(new Set(await theUnknown())).toEqual(new Set(writes.map(({ id }) => id)));
    const all = await host.walk('/webhook-effects?status=all', 2);
    expect(all).toHaveLength(4);
    expect(all.map(({ created_at }) => created_at)).toEqual(
      all
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
    );
    expect(await host.walk('/webhook-effects?status=confirmed', 1)).toMatchObject([
      { id: confirmed.id, evidence: ids('c', confirmed.key) },
    ]);
    for (const query of ['status=lost', 'limit=0', 'limit=201', 'limit=x', 'cursor=x', 'other=1'])
      expect((await host.get(`/webhook-effects?${query}`)).status).toBe(400);
    for (const write of writes) await refuse(host.core, write);
  });

  it('EFF-5 one tells what waits for it and what that blocks', async () => {
    const write = await lost();
    const held = await host.core.admit(callback(write.key, 'c7'));
    await host.core.admit(comment(write.key));
    const { status, body } = await host.get(`/webhook-effects/${write.id}`);
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ id: write.id, provider: 'fake', source: 'tracker', tool: 'comment', status: 'outcome_unknown', held_deliveries: 2 },
        ...{
          scope: { account: 'acme', kind: 'comment', action: 'create' },
          subject: { key: write.key },
          evidence: null,
          resolved_by: null,
        },
        candidates: [
          {
            receipt: held.receipt,
            evidence: ids('c7', write.key),
            deliveries: [{ state: 'held' }, { state: 'held', behind: expect.any(Number) }],
          },
        ],
      },
    ]);
    expect(body.blocked_conversations.toSorted()).toEqual(held.deliveries.map(({ conversation }) => conversation).toSorted());
    expect(body.candidates[0].deliveries.map(({ behind }: { behind: number }) => behind)).toEqual([1, 1]);
    const conversation = await host.get(`/v1/conversations/${held.deliveries[0]?.conversation}`);
    expect(conversation.body).toMatchObject({ status: 'held', waiting_for: { reason: 'held' }, queue: { held: 1, pending: 1 } });
    expect(await host.get('/metrics')).toMatchObject({ text: expect.stringMatching(/throughline_effects_unknown 1\n/) });
    expect((await host.get('/metrics')).text).toMatch(/throughline_held_age_seconds \d/);
    await refuse(host.core, write);
  });

  it('EFF-5 an operator says that it did not happen, with exactly these words, and may say so again', async () => {
    const write = await lost();
    const held = await host.core.admit(callback(write.key, 'c1'));
    for (const body of [
      {},
      { verified_absent: false },
      { verified_absent: 'true' },
      { verified_absent: 1 },
      { verified_absent: true, why: 'x' },
    ])
      expect((await absent(write, body)).status).toBe(400);
    const woken: string[] = [];
    const hear = (conversation: string) => woken.push(conversation);
    host.core.signals.on('activity', hear);
    const first = await absent(write, { verified_absent: true }, 'once');
    host.core.signals.off('activity', hear);
    expect(first).toMatchObject({ status: 200, body: { status: 'reconciled_absent', released_deliveries: 2, suppressed_deliveries: 0 } });
    expect(woken.toSorted()).toEqual(held.deliveries.map(({ conversation }) => conversation).toSorted());
    expect(await absent(write, { verified_absent: true }, 'once')).toMatchObject({
      body: { released_deliveries: 2 },
      headers: { 'idempotency-replayed': 'true' },
    });
    expect(await absent(write)).toMatchObject({ status: 200, body: { status: 'reconciled_absent', released_deliveries: 0 } });
    expect((await host.get(`/webhook-effects/${write.id}`)).body).toMatchObject({
      resolved_by: expect.any(String),
      resolved_why: 'verified absent',
    });
    const { decisions } = (await host.get(`/v1/receipts/${held.receipt}`)).body;
    expect(decisions).toMatchObject([
      { disposition: 'held', by: 'accept', effects: [write.id] },
      {
        disposition: 'routed',
        reason: 'effect_absent',
        by: (await host.get(`/webhook-effects/${write.id}`)).body.resolved_by,
        effects: [write.id],
      },
    ]);
    const audit = (await host.get(`/v1/audit?action=effect.reconcile_absent&target=${write.id}`)).body.items;
    expect(audit.length).toBeGreaterThan(0);
  });

  it('EFF-5 an operator says what it left: its callbacks make no turn, others go on', async () => {
    const write = await lost();
    const own = await host.core.admit(callback(write.key, 'c1'));
    const foreign = await host.core.admit(callback(write.key, 'c2'));
    for (const body of [
      {},
      { evidence: {} },
      { evidence: [] },
      { evidence: { comment: 1 } },
      { evidence: { comment: '' } },
      { evidence: { a: 'b' }, extra: 1 },
    ])
      expect((await present(write, body)).status).toBe(400);
    const evidence = ids('c1', write.key);
    expect(await present(write, { evidence })).toMatchObject({
      status: 200,
      body: { status: 'confirmed', released_deliveries: 2, suppressed_deliveries: 2 },
    });
    expect(await present(write, { evidence })).toMatchObject({
      status: 200,
      body: { status: 'confirmed', released_deliveries: 0, suppressed_deliveries: 0 },
    });
    expect(await present(write, { evidence: ids('c3', write.key) })).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining('it is confirmed') },
    });
    expect(await absent(write)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('it is confirmed') } });
    const { conversation } = delivered(own);
    const timeline = (await host.get(`/v1/conversations/${conversation}/timeline`)).body.items;
    const told = timeline.map(
      ({ kind, what, receipt }: Record<string, string>) =>
        `${kind} ${what} ${receipt === own.receipt ? 'own' : receipt === foreign.receipt ? 'foreign' : ''}`,
    );
    expect(told).toEqual(
      expect.arrayContaining([
        'decision held own',
        'decision suppressed own',
        'delivery_completed suppressed own',
        'decision routed foreign',
      ]),
    );
  });

  it('EFF-5 what has ended, or is still running, is refused with what it is; what is not there is 404', async () => {
    const running = await execute(host.core, `subject-${++count}`);
    expect(await absent(running)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('it is executing') } });
    expect(await present(running, { evidence: { a: 'b' } })).toMatchObject({ status: 409 });
    await refuse(host.core, running);
    expect(await absent(running)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('it is failed') } });
    const unplaced = await execute(host.core, 'x', { subject: null });
    await lose(host.core, unplaced);
    expect(await present(unplaced, { evidence: { a: 'b' } })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('subject') },
    });
    expect(await present(unplaced, { evidence: { a: 'b' }, subject: { namespace: 'n' } })).toMatchObject({ status: 400 });
    expect(await present(unplaced, { evidence: { a: 'b' }, subject: { namespace: 'n', key: 'k' } })).toMatchObject({ status: 200 });
    expect((await host.get(`/webhook-effects/${unplaced.id}`)).body).toMatchObject({ subject: { namespace: 'n', key: 'k' } });
    for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000']) {
      expect((await host.get(`/webhook-effects/${id}`)).status).toBe(404);
      expect((await absent({ id, key: '', marker: null })).status).toBe(404);
    }
    expect((await host.get(`/webhook-effects/${unplaced.id}?org=acme`)).status).toBe(404);
    expect((await host.post(`/webhook-effects/${unplaced.id}/reconcile-absent?org=acme`, { verified_absent: true })).status).toBe(404);
  });

  it('ADM-1 viewers look, operators settle', async () => {
    const write = await lost();
    const { token } = await host.token('viewer');
    expect((await host.get('/webhook-effects', { token })).status).toBe(200);
    expect((await host.get('/webhook-effects', { token: null })).status).toBe(401);
    expect((await host.post(`/webhook-effects/${write.id}/reconcile-absent`, { verified_absent: true }, { token })).status).toBe(403);
    await refuse(host.core, write);
  });
});
