import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { closing, comment, route } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('conversations and deliveries through the admin API', (make) => {
  let host: AdminHost;
  let count = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make, route());
  });
  afterAll(() => host.close());

  const conversation = async (events = 1) => {
    const key = `subject-${++count}`;
    let id = '';
    for (let i = 0; i < events; i += 1) id = delivered(await host.core.admit(comment(key))).conversation;
    return { id, key };
  };
  const read = async (id: string) => (await host.get(`/v1/conversations/${id}`)).body;
  /** A head that waits for its next attempt need not be waited for. */
  const makeDue = async (id: string) => {
    await host.change("update deliveries set due_at = 1 where conversation = ? and due_at is not null and state = 'pending'", id);
    await host.change('update queues set ready_at = 1 where conversation = ? and ready_at is not null', id);
  };
  /** Claims what there is, and gives back all but the claim of this conversation. */
  const claim = async (id: string) => {
    let mine = null;
    for (const each of await host.core.claim()) {
      if (each.conversation === id) mine = each;
      else await host.core.finish(each);
    }
    if (mine === null) throw new Error('nothing was claimed');
    return mine;
  };

  it('B67 reads as it is documented', async () => {
    const { id, key } = await conversation();
    expect(await read(id)).toEqual({
      ...{ id, org: 'default', subject: { namespace: 'tracker:acme', key }, scope: 'subject', title: null, url: null, workspace: 'main' },
      ...{ session: null, state: 'open', terminal: null, status: 'queued', queue: { held: 0, pending: 1, claimed: 0, completed: 0 } },
      ...{
        waiting_for: { reason: 'worker', until: null, detail: null },
        control: null,
        tainted: true,
        cleared_to: 0,
        paused: false,
        cleanup: null,
      },
      ...{ created_at: expect.stringMatching(/^\d{4}-.*Z$/), updated_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
  });

  it('tells what it is doing, and why its head waits', async () => {
    const { id } = await conversation(2);
    await host.core.admit(comment(`subject-${count}`));
    const running = await claim(id);
    expect(await read(id)).toMatchObject({ status: 'running', waiting_for: null, queue: { pending: 0, claimed: 3, completed: 0 } });
    expect((await host.get(`/v1/deliveries?conversation=${id}&state=claimed`)).body.items).toHaveLength(3);
    await host.core.fail(running);
    const failed = await read(id);
    expect(failed).toMatchObject({
      status: 'queued',
      waiting_for: { reason: 'retry', detail: 'it broke' },
      queue: { pending: 3, claimed: 0 },
    });
    expect(Date.parse(failed.waiting_for.until)).toBeGreaterThan(Date.now());
    for (let i = 0; i < 2; i += 1) {
      await makeDue(id);
      await host.core.fail(await claim(id));
    }
    expect(await read(id)).toMatchObject({ status: 'stalled', waiting_for: { reason: 'stalled' } });
    expect((await host.get('/v1/conversations?status=stalled')).body.items.map((each: { id: string }) => each.id)).toEqual([id]);
    const [head] = (await host.get(`/v1/deliveries?conversation=${id}`)).body.items.toReversed();
    expect(head).toMatchObject({ attempts: 3, failure: 'it broke', state: 'pending' });
    const retried = await host.post(`/v1/deliveries/${head.id}/retry`);
    expect([retried.status, retried.body.attempts]).toEqual([200, 0]);
    await host.core.finish(await claim(id));
    await host.core.finish(await claim(id));
    expect(await read(id)).toMatchObject({ status: 'idle', waiting_for: null, queue: { pending: 0, completed: 3 } });
  });

  it('a message that is not to wake waits for one that does', async () => {
    const { id } = await conversation();
    await host.core.finish(await claim(id));
    const { status, body } = await host.post(`/v1/conversations/${id}/messages`, { text: 'for later', wake: false });
    expect([status, body.disposition, body.deliveries[0].conversation]).toEqual([202, 'routed', id]);
    expect(await read(id)).toMatchObject({ status: 'queued', waiting_for: { reason: 'waking_message', until: null } });
    await host.post(`/v1/conversations/${id}/messages`, { text: 'now' });
    expect((await claim(id)).entries).toHaveLength(2);
  });

  it('TRM-5 a message to a conversation that ended is refused, and TRM-1 an operator may end and reopen it', async () => {
    const { id } = await conversation();
    const ended = await host.post(`/v1/conversations/${id}/terminate`, { reason: 'wrong tracker' });
    expect([ended.status, ended.body]).toMatchObject([
      200,
      { state: 'terminal', terminal: { reason: 'wrong tracker', revision: null }, cleanup: { failure: null } },
    ]);
    expect(Date.parse(ended.body.terminal.at)).toBeGreaterThan(0);
    const refused = await host.post(`/v1/conversations/${id}/messages`, { text: 'hello?' });
    expect([refused.status, refused.body.code]).toEqual([409, 'conversation_terminal']);
    expect((await host.post(`/v1/conversations/${id}/terminate`, {})).body).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('terminal already'),
    });
    expect((await host.post(`/v1/conversations/${id}/reopen`)).body).toMatchObject({ state: 'open', terminal: null, cleanup: null });
    expect((await host.post(`/v1/conversations/${id}/reopen`)).status).toBe(409);
    expect((await host.post(`/v1/conversations/${id}/messages`, { text: 'hello!' })).status).toBe(202);
  });

  it("TRM-1 shows the provider's revision of an end", async () => {
    const { id, key } = await conversation();
    await host.core.admit(closing(key, 7));
    expect((await read(id)).terminal).toMatchObject({ reason: 'completed', revision: '2026-01-01T00:00:07.000Z' });
  });

  it('B38 stops a running turn, abandons one, and skips what waits; each says what else it is now', async () => {
    const { id } = await conversation();
    expect((await host.post(`/v1/conversations/${id}/stop`)).body).toMatchObject({
      status: 409,
      detail: 'no turn is running in this conversation',
    });
    await claim(id);
    expect((await host.post(`/v1/deliveries/${id}.1/skip`, {})).body).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('claimed'),
    });
    expect((await host.post(`/v1/deliveries/${id}.1/abandon`)).body).toMatchObject({ state: 'pending' });
    expect((await host.post(`/v1/deliveries/${id}.1/abandon`)).status).toBe(409);
    await claim(id);
    expect((await host.post(`/v1/conversations/${id}/stop`)).body).toMatchObject({ status: 'idle', queue: { completed: 1 } });
    expect((await host.get(`/v1/deliveries/${id}.1`)).body).toMatchObject({ outcome: 'interrupted' });
    await host.post(`/v1/conversations/${id}/messages`, { text: 'one more' });
    expect((await host.post(`/v1/deliveries/${id}.2/skip`, { reason: 'not needed' })).body).toMatchObject({
      outcome: 'skipped',
      reason: 'not needed',
    });
    expect((await host.post(`/v1/deliveries/${id}.99/skip`)).status).toBe(404);
  });

  it('ADM-2 what a body should not have is refused with its path', async () => {
    const { id } = await conversation();
    const messages = `/v1/conversations/${id}/messages`;
    const refused: readonly (readonly [unknown, string])[] = [
      [{}, 'text'],
      [{ text: '   ' }, 'text'],
      [{ text: 'x'.repeat(100_001) }, 'text'],
      [{ text: 'x', wake: 'yes' }, 'wake'],
      [{ text: 'x', colour: 'red' }, 'colour'],
      [[], ''],
      ['5', ''],
    ];
    for (const [body, path] of refused) {
      const answer = await host.post(messages, body);
      expect([path, answer.status, answer.body.errors?.[0]?.path]).toEqual([path, 400, path]);
    }
    expect((await host.post(messages, '{"text":')).body.code).toBe('invalid_json');
    expect((await host.post(messages, '{"text":"x","__proto__":{}}')).body.code).toBe('invalid_json');
    expect((await host.post(messages, { text: 'x' }, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await host.core.deliveries(id)).length).toBe(1);
  });

  it('ADM-1 every write is in the audit log, with who, what and how it went, and without texts', async () => {
    const { id } = await conversation();
    const operator = await host.token('operator');
    await host.post(`/v1/conversations/${id}/messages`, { text: 'a secret plan' }, operator);
    await host.post(`/v1/conversations/${id}/stop`, undefined, operator);
    await host.post(`/v1/conversations/${id}/terminate`, { reason: 'enough' }, operator);
    const { body, text } = await host.get(`/v1/audit?target=${id}`);
    const actor = `token:${operator.id} (operator of default)`;
    expect(body.items.map((item: { id: string; at: string }) => ({ ...item, id: '', at: '' }))).toEqual([
      { id: '', at: '', actor, action: 'conversation.terminate', target: id, detail: { result: 'done', reason: 'enough' } },
      { id: '', at: '', actor, action: 'conversation.stop', target: id, detail: { result: 'conflict' } },
      { id: '', at: '', actor, action: 'conversation.message', target: id, detail: { result: 'done' } },
    ]);
    expect(text).not.toContain('secret plan');
    expect((await host.walk(`/v1/audit?target=${id}`, 2)).map(({ action }) => action)).toHaveLength(3);
    expect((await host.get('/v1/audit?action=conversation.stop&actor=environment')).status).toBe(200);
  });

  it('lists turns and what was said in them', async () => {
    const { id } = await conversation();
    const running = await claim(id);
    await host.change(
      "insert into transcripts (conversation, token, number, said_at, kind, body) values (?, ?, 0, 1, 'text', ?), (?, ?, 1, 2, 'status', ?)",
      ...[id, running.token, '{"text":"hello"}', id, running.token, '{"text":"cut of…'],
    );
    await host.core.finish(running);
    const [turn] = (await host.get(`/v1/conversations/${id}/turns`)).body.items;
    expect(turn).toMatchObject({
      id: `${id}.${running.token}`,
      state: 'done',
      from_sequence: 1,
      to_sequence: 1,
      attempt: 1,
      result: 'ok',
      cost_usd: 0,
    });
    const said = await host.walk(`/v1/conversations/${id}/transcript`, 1);
    expect(said.map(({ kind, body }) => [kind, body])).toEqual([
      ['text', { text: 'hello' }],
      ['status', '{"text":"cut of…'],
    ]);
  });
});
