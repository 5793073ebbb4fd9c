import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { comment } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('steering a conversation through the admin API', (make) => {
  let host: AdminHost;
  let count = 0;

  beforeAll(async () => {
    host = await AdminHost.start(make);
  });
  afterAll(() => host.close());

  const conversation = async () => delivered(await host.core.admit(comment(`steered-${++count}`))).conversation;
  const act = (id: string, verb: string) => host.post(`/v1/conversations/${id}/${verb}`);
  const read = async (id: string) => (await host.get(`/v1/conversations/${id}`)).body;

  it('FIF-8 pauses and resumes; the status and the list say so, and a second pause says what it is', async () => {
    const id = await conversation();
    expect(await act(id, 'pause')).toMatchObject({
      status: 200,
      body: { status: 'paused', paused: true, waiting_for: { reason: 'resume' }, queue: { pending: 1 } },
    });
    expect(await act(id, 'pause')).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'this conversation is paused already' },
    });
    expect((await host.walk('/v1/conversations?status=paused', 1)).map((each) => each.id)).toEqual([id]);
    expect(await act(id, 'resume')).toMatchObject({
      status: 200,
      body: { status: 'queued', paused: false, waiting_for: { reason: 'worker' } },
    });
    expect(await act(id, 'resume')).toMatchObject({ status: 409 });
    expect(await host.walk('/v1/conversations?status=paused', 1)).toEqual([]);
  });

  it('FIF-8 a paused conversation runs as long as its turn does, and is paused then', async () => {
    const id = await conversation();
    const claim = (await host.core.claim()).find((each) => each.conversation === id);
    expect(await act(id, 'pause')).toMatchObject({ body: { status: 'running', paused: true, waiting_for: null } });
    if (claim) await host.core.finish(claim);
    expect(await read(id)).toMatchObject({ status: 'paused', waiting_for: { reason: 'resume', detail: null }, queue: { completed: 1 } });
  });

  it('RST-1 resets: the answer has the boundary, the timeline the reset, and the audit log who asked', async () => {
    const id = await conversation();
    await host.change("update conversations set session = 's-1' where id = ?", id);
    expect(await act(id, 'reset')).toMatchObject({
      status: 200,
      body: { cleared_to: 1, session: null, status: 'idle', queue: { completed: 1 } },
    });
    const timeline = (await host.get(`/v1/conversations/${id}/timeline`)).body.items;
    expect(timeline).toContainEqual(expect.objectContaining({ kind: 'note', what: 'reset', by: 'environment', delivery: `${id}.1` }));
    const [entry] = (await host.get('/v1/audit?action=conversation.reset')).body.items;
    expect(entry).toMatchObject({ target: id, detail: { result: 'done' } });
  });

  it('TRN-7 TRN-10 what was put aside says for what, and until when', async () => {
    const id = await conversation();
    await host.change("update queues set parked = 'looping', ready_at = null where conversation = ?", id);
    expect(await read(id)).toMatchObject({ status: 'stalled', waiting_for: { reason: 'looping', until: null } });
    await host.change("update queues set parked = 'spent', ready_at = 4102444800000 where conversation = ?", id);
    expect(await read(id)).toMatchObject({ status: 'stalled', waiting_for: { reason: 'spent', until: '2100-01-01T00:00:00.000Z' } });
    expect(await act(id, 'resume')).toMatchObject({ status: 200, body: { status: 'queued', waiting_for: { reason: 'worker' } } });
  });

  it('ADM-1 viewers may not, and another organisation’s conversations are not there', async () => {
    const id = await conversation();
    const { token } = await host.token('viewer');
    const { token: stranger } = await host.token('operator', 'acme');
    for (const verb of ['reset', 'pause', 'resume']) {
      expect((await host.post(`/v1/conversations/${id}/${verb}`, undefined, { token })).status).toBe(403);
      expect((await host.post(`/v1/conversations/${id}/${verb}`, undefined, { token: stranger })).status).toBe(404);
    }
  });

  it('ADM-4 counts what is paused and what was put aside', async () => {
    const id = await conversation();
    await act(id, 'pause');
    host.metrics.wasParked('looping');
    const { text } = await host.get('/metrics');
    expect(text).toMatch(/throughline_conversations_paused [1-9]/);
    expect(text).toContain('throughline_conversations_put_aside_total{reason="looping"} 1');
  });
});
