import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Office } from '../core/approvals/desk.js';
import { route } from '../core/builders.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('approvals through the admin API', (make) => {
  let host: AdminHost;
  let office: Office;
  let conversation: string;
  beforeAll(async () => {
    host = await AdminHost.start(make, route());
    office = new Office(host.core);
    conversation = await office.conversation();
  });
  afterAll(() => host.close());

  let count = 0;
  const ask = async () => (await office.ask(conversation, `text ${++count}`)).id;
  const decide = (id: string, what: 'approve' | 'deny', body: unknown = {}, asked = {}) =>
    host.post(`/v1/approvals/${id}/${what}`, body, asked);

  it('CTL-4 ADM-2 they are listed with exactly what would be done, by state and page by page', async () => {
    const ids = [await ask(), await ask(), await ask()];
    // Those of one millisecond have an order, too, but not that in which they were asked.
    for (const [i, id] of ids.entries()) await host.change('update approvals set created_at = created_at + ? where id = ?', i * 10, id);
    await decide(ids[0] ?? '', 'deny');
    const pending = await host.walk(`/v1/approvals?state=pending&conversation=${conversation}`, 1);
    expect(pending.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(pending[0]).toMatchObject({
      ...{ kind: 'write', state: 'pending', conversation, route: 'triage', connection: 'tracker', provider: 'fake', tool: 'comment' },
      destination: { account: 'acme', kind: 'comment', action: 'create', subject: { namespace: 'tracker:acme', key: 'A' } },
      ...{ body: '{"text":"text 3"}', body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/), decided_by: null },
    });
    expect((await host.get(`/v1/approvals/${ids[0]}`)).body).toMatchObject({ state: 'denied', decided_by: 'environment' });
    expect((await host.get('/v1/approvals?state=maybe')).status).toBe(400);
    expect((await host.get('/v1/approvals?conversation=that-one')).status).toBe(400);
  });

  it('CTL-4 a second decision is answered with who was first, an unknown one and a late one as such', async () => {
    const id = await ask();
    expect((await decide(id, 'approve', { reason: 'go' })).body).toMatchObject({
      state: 'approved',
      decided_by: 'environment',
      decided_why: 'go',
    });
    for (const what of ['approve', 'deny'] as const)
      expect(await decide(id, what)).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('already decided by environment') },
      });
    expect((await decide('AAAAAAAAAAAAAAAAAAAAAAAA', 'approve')).status).toBe(404);
    expect((await decide('short', 'approve')).status).toBe(404);
    const late = await ask();
    await host.change('update approvals set expires_at = created_at - 1 where id = ?', late);
    expect(await decide(late, 'approve')).toMatchObject({ status: 409, body: { detail: expect.stringContaining('expired') } });
    expect((await host.get(`/v1/approvals/${late}`)).body.state).toBe('expired');
  });

  it('ADM-1 IDN-7 an operator of the organisation decides, nobody else', async () => {
    const id = await ask();
    const [viewer, stranger, operator] = [await host.token('viewer'), await host.token('admin', 'acme'), await host.token('operator')];
    expect((await decide(id, 'approve', {}, { token: viewer.token })).status).toBe(403);
    expect((await decide(id, 'approve', {}, { token: stranger.token })).status).toBe(404);
    expect((await host.get(`/v1/approvals/${id}`, { token: stranger.token })).status).toBe(404);
    expect((await decide(id, 'deny', {}, { token: operator.token })).body).toMatchObject({
      state: 'denied',
      decided_by: expect.stringContaining('operator'),
    });
  });

  it('ADM-2 the same request with its key is answered as the first time, and stands in the audit log once', async () => {
    const id = await ask();
    const first = await decide(id, 'approve', {}, { key: 'k-1' });
    const second = await decide(id, 'approve', {}, { key: 'k-1' });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    const { items } = (await host.get(`/v1/audit?target=${id}`)).body;
    expect(items.map(({ action }: { action: string }) => action)).toEqual(['approval.approve', 'approval.ask']);
  });

  it('CTL-4 a conversation whose agent waits for nothing but a person says so', async () => {
    const other = await office.conversation('B');
    const { id } = await office.ask(other);
    const shown = async () => (await host.get(`/v1/conversations/${other}`)).body;
    expect(await shown()).toMatchObject({ status: 'waiting_approval' });
    expect((await host.get('/v1/conversations?status=waiting_approval')).body.items.map((c: { id: string }) => c.id)).toContain(other);
    await decide(id, 'deny');
    expect(await shown()).toMatchObject({ status: 'idle' });
  });

  it('WSP-2 a conversation shows whether anybody can have written to it', async () => {
    const shown = async () => (await host.get(`/v1/conversations/${conversation}`)).body.tainted;
    expect(await shown()).toBe(true);
    await host.post(`/v1/conversations/${conversation}/reset`);
    expect(await shown()).toBe(false);
  });
});
