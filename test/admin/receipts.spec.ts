import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { closing, comment, event, prompt, route } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('receipts, timelines and dry runs through the admin API', (make) => {
  let host: AdminHost;
  let count = 0;
  beforeAll(async () => {
    host = await AdminHost.start(
      make,
      route(),
      route({ name: 'second' }),
      route({ name: 'closes', on: ['issue.*'] }),
      route({ name: 'filtered', filter: 'urgent' }),
      route({ name: 'asked', scope: 'automation', activation: 'on_demand', on: ['comment.created'] }),
    );
  });
  afterAll(() => host.close());

  const key = () => `subject-${++count}`;
  const timeline = async (id: string) => (await host.get(`/v1/conversations/${id}/timeline`)).body.items;

  it('ACC-5 what a route keeps is admitted when an operator asks for it, and that is audited', async () => {
    await host.core.admit(comment(key(), 'kept'));
    expect((await host.post('/v1/routes/nobody/replay')).status).toBe(404);
    const viewer = await host.token('viewer');
    expect((await host.post('/v1/routes/asked/replay', undefined, { token: viewer.token })).status).toBe(403);
    const first = await host.post('/v1/routes/asked/replay', undefined, { key: 'once' });
    expect([first.status, first.body]).toEqual([200, { admitted: 1, lost: 0, has_more: false }]);
    expect((await host.post('/v1/routes/asked/replay', undefined, { key: 'once' })).body).toEqual(first.body);
    expect((await host.post('/v1/routes/asked/replay')).body).toMatchObject({ admitted: 0 });
    const { items } = (await host.get('/v1/deliveries')).body;
    expect(items.filter(({ route }: { route: string }) => route === 'asked')).toHaveLength(1);
    expect((await host.get('/v1/audit?action=route.replay')).body.items.map(({ target }: { target: string }) => target)).toEqual([
      ...['asked', 'asked', 'nobody'],
    ]);
  });

  it('ACC-4 B17 a receipt tells what every route made of it, and where it came again', async () => {
    const sent = comment(key());
    const answer = await host.core.admit(sent);
    const { conversation, delivery } = delivered(answer);
    await host.core.admit(sent);
    await host.core.admit({ ...sent, body: Buffer.from('{"other":true}') });
    const { status, body } = await host.get(`/v1/receipts/${answer.receipt}`);
    expect([status, body]).toMatchObject([
      200,
      {
        id: answer.receipt,
        disposition: 'routed',
        matched: 3,
        repeats: { duplicates: 2, conflicts: 1 },
        secret_index: 0,
        payload_cut: false,
      },
    ]);
    expect(body.conflicts).toEqual([expect.objectContaining({ content_hash: expect.stringMatching(/^[0-9a-f]{64}$/), count: 1 })]);
    expect((await host.get('/v1/receipts?conflicting=true')).body.items).toHaveLength(1);
    expect(body.decisions).toHaveLength(1);
    expect(body.decisions[0]).toMatchObject({ number: 0, by: 'accept', disposition: 'routed', candidates: body.candidates });
    const told = Object.fromEntries(body.candidates.map((each: { route: string }) => [each.route, each]));
    expect(told.triage).toMatchObject({ matched: true, disposition: 'routed', conversation, delivery });
    expect(told.second).toMatchObject({ matched: true, disposition: 'ignored', reason: 'same_conversation', delivery: null });
    expect(told.closes).toMatchObject({ matched: false, reason: 'event_key', detail: expect.stringContaining('issue.*') });
    expect(told.filtered).toMatchObject({ matched: false, reason: 'filter', conversation: null });
  });

  it('ACC-11 the payload reads as its exact bytes, as text or base64, or not at all', async () => {
    const text = await host.core.admit(event(prompt(key(), 'x'), { body: Buffer.from('{"b":1,  "a":"é"}') }));
    const binary = await host.core.admit(event(prompt(key(), 'x'), { body: Buffer.from([0xff, 0x00, 0x7b]) }));
    expect((await host.get(`/v1/receipts/${text.receipt}`)).body).toMatchObject({ payload: '{"b":1,  "a":"é"}', payload_encoding: 'utf8' });
    expect((await host.get(`/v1/receipts/${binary.receipt}`)).body).toMatchObject({ payload: '/wB7', payload_encoding: 'base64' });
    expect((await host.get(`/v1/receipts/${text.receipt}?payload=false`)).body).toMatchObject({ payload: null, payload_encoding: null });
    await host.change('update receipts set payload = null where id = ?', Number(text.receipt));
    expect((await host.get(`/v1/receipts/${text.receipt}`)).body).toMatchObject({
      payload: null,
      payload_encoding: null,
      payload_size: 18,
    });
  });

  it('ACC-14 a timeline tells what was decided about every receipt of the conversation: what, why, when and by whom', async () => {
    const subject = key();
    const first = await host.core.admit(comment(subject));
    const { conversation } = delivered(first);
    const claims = await host.core.claim();
    for (const claim of claims) await host.core.finish(claim);
    const closed = await host.core.admit(closing(subject, 5));
    const late = await host.core.admit(comment(subject, 'too late'));
    await host.post(`/v1/conversations/${conversation}/reopen`);
    await host.post(`/v1/conversations/${conversation}/messages`, { text: 'go on' });

    const entries = await timeline(conversation);
    const decisions = entries.filter(({ kind }: { kind: string }) => kind === 'decision');
    const about = (receipt: string) => decisions.filter((entry: { receipt: string }) => entry.receipt === receipt);
    expect(about(first.receipt)).toMatchObject([{ what: 'routed', by: 'accept', delivery: `${conversation}.1` }]);
    expect(about(first.receipt)[0].verdicts).toContainEqual({ route: 'second', disposition: 'ignored', reason: 'same_conversation' });
    expect(about(closed.receipt)).toMatchObject([{ what: 'lifecycle', reason: 'completed', by: 'accept' }]);
    expect(about(late.receipt)).toMatchObject([{ what: 'ignored', reason: 'terminal', by: 'accept', delivery: null }]);
    expect(decisions.at(-1)).toMatchObject({ what: 'routed', by: 'environment' });
    const others = entries.filter(({ kind }: { kind: string }) => kind !== 'decision');
    expect(others.map(({ kind, what, by }: Record<string, unknown>) => [kind, what, by])).toEqual(
      expect.arrayContaining([
        ['turn_started', 'active', expect.stringMatching(/^replica \d+$/)],
        ['delivery_completed', 'done', null],
        ['turn_ended', 'done', expect.stringMatching(/^replica \d+$/)],
        ['note', 'closed', 'accept'],
        ['note', 'reopen', 'environment'],
      ]),
    );
    const times = entries.map(({ at }: { at: string }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
    expect(await host.walk(`/v1/conversations/${conversation}/timeline`, 2)).toEqual(entries);
  });

  it('ACC-5 a replay admits what waited on demand, once, and says by whom', async () => {
    const { receipt } = await host.core.admit(comment(key()));
    const replay = (body: unknown) => host.post(`/v1/receipts/${receipt}/replay`, body);
    const first = await replay({ routes: ['asked'] });
    expect([first.status, first.body]).toMatchObject([200, { disposition: 'routed', receipt, deliveries: [{ route: 'asked' }] }]);
    expect((await replay({ routes: ['asked'] })).body).toMatchObject({
      disposition: 'ignored',
      reason: 'same_conversation',
      deliveries: [],
    });
    const { body } = await host.get(`/v1/receipts/${receipt}`);
    expect(body.decisions.map(({ number, by }: Record<string, unknown>) => [number, by])).toEqual([
      [0, 'accept'],
      [1, 'environment'],
      [2, 'environment'],
    ]);
    expect(
      (await timeline(first.body.deliveries[0].conversation)).filter((entry: { receipt: string }) => entry.receipt === receipt).length,
    ).toBeGreaterThan(1);
    const unknown = await replay({ routes: ['asked', 'nobody'] });
    expect([unknown.status, unknown.body.errors]).toEqual([400, [{ path: 'routes[1]', message: 'there is no route nobody' }]]);
    expect((await host.post('/v1/receipts/999999/replay', {})).status).toBe(404);
  });

  it('a replay of a payload that was pruned and that a route reads is refused', async () => {
    const { receipt } = await host.core.admit(comment(key()));
    await host.change('update receipts set payload = null where id = ?', Number(receipt));
    const { status, body } = await host.post(`/v1/receipts/${receipt}/replay`, {});
    expect([status, body.code]).toEqual([409, 'payload_unavailable']);
  });

  it('a dry run says what every route would make of an event, and stores nothing', async () => {
    const subject = key();
    const { conversation } = delivered(await host.core.admit(comment(subject)));
    const before = await host.core.count('receipts');
    const { status, body } = await host.post('/v1/dry-run', {
      ...{ source: 'tracker', event: 'comment.created' },
      payload: { urgent: true, parsed: prompt(subject, 'what if', { title: 'A title' }) },
    });
    expect([status, body]).toMatchObject([
      200,
      { event: 'comment.created', kind: 'prompt', matched: 4, title: 'A title', author: 'ada', reason: null },
    ]);
    const [triage, , closes, filtered, asked] = body.candidates;
    expect(triage).toEqual({
      ...{ route: 'triage', matched: true, reason: null, detail: null, subject: { namespace: 'tracker:acme', key: subject } },
      ...{ conversation, conversation_state: 'open', text: 'what if', trust: 'untrusted', wake: true },
    });
    expect(closes).toMatchObject({ route: 'closes', matched: false, reason: 'event_key', conversation: null });
    expect(filtered).toMatchObject({ route: 'filtered', matched: true });
    expect(asked).toMatchObject({ route: 'asked', matched: true, wake: false, conversation_state: 'new' });
    expect(await host.core.count('receipts')).toBe(before);
    expect(await host.core.count('audit')).toBe((await host.get('/v1/audit?limit=200')).body.items.length);
  });

  it('a dry run of an event that its plugin ignores matches nothing, and says why', async () => {
    const payload = { parsed: { kind: 'ignored', reason: 'bot_message', subject: null } };
    const { body } = await host.post('/v1/dry-run', { source: 'tracker', event: 'comment.created', payload, route: 'triage' });
    expect(body).toMatchObject({
      kind: 'ignored',
      reason: 'bot_message',
      matched: 0,
      candidates: [{ route: 'triage', matched: false, reason: 'bot_message' }],
    });
  });

  it('a dry run of what breaks the parser says so, and one without a kind that fits asks for it', async () => {
    const broken = await host.post('/v1/dry-run', { source: 'tracker', event: 'comment.created', payload: {} });
    expect([broken.status, broken.body]).toMatchObject([200, { kind: 'recorded', reason: 'parser_failed', matched: 0 }]);
    for (const unfit of ['', 'k'.repeat(256), 'a\0b', 7]) {
      const { status, body } = await host.post('/v1/dry-run', { source: 'tracker', payload: { key: unfit, parsed: prompt('1', 'x') } });
      expect([unfit, status, body.errors?.[0]?.path]).toEqual([unfit, 400, 'event']);
    }
  });

  it('ADM-2 a dry run that names what is not there is refused with its path', async () => {
    const payload = { parsed: prompt('1', 'x') };
    for (const [body, path] of [
      [{ source: 'nowhere', payload }, 'source'],
      [{ source: 'tracker', payload, route: 'nobody' }, 'route'],
      [{ source: 'tracker' }, 'payload'],
      [{ payload }, 'source'],
    ] as const) {
      const answer = await host.post('/v1/dry-run', body);
      expect([path, answer.status, answer.body.errors?.[0]?.path]).toEqual([path, 400, path]);
    }
    const { body } = await host.post('/v1/dry-run', { source: 'tracker' });
    expect(body.errors).toEqual([{ path: 'payload', message: 'should be the payload of an event' }]);
  });
});
