import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { secretHash } from '../../src/admin/access/secret.js';
import { type ClaimedRun, claimRuns } from '../../src/core/runs/claim-runs.js';
import { beginRun } from '../../src/core/runs/run-rows.js';
import { openRun } from '../../src/core/runs/start-run.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

const AUTOMATION = { triggers: [{ type: 'event', source: 'tracker', on: ['*'] }], prompt: 'Look at it.', runtime: 'helper' };
const NOBODY = '00000000-0000-4000-8000-000000000000';

eachDatabase('GET and POST /v1/runs', (make) => {
  let host: AdminHost;
  let count = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make);
  });
  afterEach(async () => {
    const { body } = await host.get('/v1/runs?limit=200');
    for (const { id, ended_at: at } of body.items) if (at === null) await host.post(`/v1/runs/${id}/cancel`);
  });
  afterAll(() => host.close());

  const made = async (): Promise<string> => (await host.post('/v1/automations', { ...AUTOMATION, name: `runs ${++count}` })).body.id;
  const dispatch = async (automation: string): Promise<string> => (await host.post(`/v1/automations/${automation}/dispatch`, {})).body.id;
  const run = async () => dispatch(await made());

  async function claim(id: string): Promise<ClaimedRun> {
    const { database, owner } = host.core;
    const claimed = (await database.transaction((tx) => claimRuns(tx, { owner, cap: 100, readyMs: 60_000 }))) ?? [];
    const found = claimed.find((each) => each.id === id);
    if (found === undefined) throw new Error(`run ${id} was not claimed`);
    return found;
  }

  /** Its entrypoint has begun; the token that it was given. */
  async function begun(id: string): Promise<string> {
    const attempt = await claim(id);
    const token = `tlr_${randomBytes(32).toString('base64url')}`;
    const beginning = { toldTo: null, secretHash: secretHash(token), timeoutMs: 60_000 };
    await host.core.database.transaction((tx) => beginRun(tx, attempt, beginning));
    return token;
  }

  it('AUT-9 lists runs with filters, newest first, page by page, each organisation its own', async () => {
    const automation = await made();
    const ids = [await dispatch(automation), await dispatch(automation), await dispatch(automation)];
    const other = await run();
    await host.post(`/v1/runs/${ids[0]}/cancel`);
    const of = async (query: string) => (await host.get(`/v1/runs?${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect((await of(`automation=${automation}`)).sort()).toEqual([...ids].sort());
    expect((await host.walk(`/v1/runs?automation=${automation}`, 1)).map(({ id }) => id)).toEqual(await of(`automation=${automation}`));
    expect(await of(`automation=${automation}&state=cancelled`)).toEqual([ids[0]]);
    expect(await of('cause=api')).toContain(other);
    expect(await of('cause=cron')).toEqual([]);
    expect(await of('since=2100-01-01T00:00:00Z')).toEqual([]);
    expect((await host.get('/v1/runs?org=acme')).body.items).toEqual([]);
    for (const query of ['state=gone', 'since=soon', 'automation=x', 'cursor=x', 'limit=201', 'what=1'])
      expect([query, (await host.get(`/v1/runs?${query}`)).status]).toEqual([query, 400]);
  });

  it('AUT-9 shows one run, and what it has gone through', async () => {
    const id = await run();
    const attempt = await claim(id);
    await host.core.database.transaction((tx) => openRun(tx, attempt, 60_000));
    const { body } = await host.get(`/v1/runs/${id}`);
    expect(body).toMatchObject({
      ...{ id, state: 'running', phase: 'agent working', cause: 'api', attempt: 0, error: null, timed_out: false, ended_at: null },
      ...{ automation_id: attempt.automation, conversation_id: attempt.conversation, delivery: `${attempt.conversation}.1` },
      phases: [{ phase: 'preparing environment' }, { phase: 'agent working' }],
    });
    const { body: logs } = await host.get(`/v1/runs/${id}/logs?kind=phase`);
    expect(logs.items.map(({ number, body: text }: { number: number; body: string }) => [number, text])).toEqual([
      [1, 'preparing environment'],
      [2, 'agent working'],
    ]);
    for (const url of [`/v1/runs/${NOBODY}`, '/v1/runs/x', `/v1/runs/${NOBODY}/logs`, `/v1/runs/${id}?org=acme`])
      expect([url, (await host.get(url)).status]).toEqual([url, 404]);
  });

  it('AUT-9 an operator cancels a run once; what has ended answers 409 with what it is', async () => {
    const id = await run();
    const [viewer, operator] = [await host.token('viewer'), await host.token('operator')];
    expect((await host.post(`/v1/runs/${id}/cancel`, undefined, { token: viewer.token })).status).toBe(403);
    const { status, body } = await host.post(`/v1/runs/${id}/cancel`, undefined, { token: operator.token });
    expect([status, body.state, body.error]).toEqual([200, 'cancelled', 'cancelled']);
    expect(body.subject_released_at).not.toBeNull();
    const again = await host.post(`/v1/runs/${id}/cancel`);
    expect([again.status, again.body.detail]).toEqual([409, `run ${id} is cancelled already`]);
    const audit = await host.core.rows<{ actor: string; detail: string }>(
      "select actor, detail from audit where action = 'run.cancel' and target = ? order by id",
      id,
    );
    expect(audit.map(({ detail }) => JSON.parse(detail).result)).toEqual(['done', 'conflict']);
    expect(audit[0]?.actor).toContain(`token:${operator.id}`);
    expect((await host.post(`/v1/runs/${NOBODY}/cancel`)).status).toBe(404);
  });

  it("AUT-9 a run's own token alone reports for it: 401, 403, 404 for others", async () => {
    const [id, other] = [await run(), await run()];
    const token = await begun(id);
    const report = (to: string, of: string | null) => host.post(`/v1/runs/${to}/complete`, { status: 'completed' }, { token: of });
    const statuses = await Promise.all([
      report(id, null),
      report(id, 'tlr_wrong'),
      report(id, 'x'),
      report(other, token),
      report(NOBODY, token),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401, 403, 404]);
    expect((await host.post(`/v1/runs/${id}/complete`, { status: 'completed' })).status).toBe(401);
    expect((await report(id, token)).body).toEqual({ id, state: 'completed', phase: 'preparing environment' });
    const late = await report(id, token);
    expect([late.status, late.body.detail]).toEqual([409, `run ${id} is completed already`]);
  });

  it('AUT-9 a report has cost, error and metadata; what is malformed is refused', async () => {
    const id = await run();
    const token = await begun(id);
    const bad = [
      {},
      { status: 'done' },
      { status: 'failed', cost: -1 },
      { status: 'failed', cost: '1' },
      { status: 'failed', more: 1 },
      [],
    ];
    for (const body of bad) expect([body, (await host.post(`/v1/runs/${id}/complete`, body, { token })).status]).toEqual([body, 400]);
    const error = { code: 'NO_KEY', detail: 'the key is wrong', classification: { kind: 'auth', user_action: 'settings' } };
    const body = { status: 'FAILED', run_id: id, cost: 0, error, metadata: { seen: 3 } };
    expect((await host.post(`/v1/runs/${id}/complete`, body, { token })).status).toBe(200);
    expect((await host.get(`/v1/runs/${id}`)).body).toMatchObject({
      ...{ state: 'failed', error: 'reported', detail: 'NO_KEY: the key is wrong', cost_usd: 0, metadata: { seen: 3 } },
    });
  });

  it('AUT-9 a success that comes after the time was up counts; after a cancellation it does not', async () => {
    const [late, cancelled] = [await run(), await run()];
    const tokens: string[] = [];
    tokens.push(await begun(late));
    await host.change('update runs set deadline_at = 1 where id = ?', late);
    await host.change(
      "update runs set state = 'failed', timed_out = 1, error = 'timed_out', ended_at = 1, released_at = 1, owner = null where id = ?",
      late,
    );
    await host.change(
      "update queues set parked = null, ready_at = 1 where parked = 'starting' and conversation = (select conversation from runs where id = ?)",
      late,
    );
    expect((await host.post(`/v1/runs/${late}/complete`, { status: 'failed' }, { token: tokens[0] ?? '' })).status).toBe(409);
    expect((await host.post(`/v1/runs/${late}/complete`, { status: 'completed', cost: 1.5 }, { token: tokens[0] ?? '' })).body.state).toBe(
      'completed',
    );
    expect((await host.get(`/v1/runs/${late}`)).body).toMatchObject({ error: null, cost_usd: 1.5, timed_out: true });
    await host.change('update runs set secret_hash = ? where id = ?', secretHash('tlr_other'), cancelled);
    await host.post(`/v1/runs/${cancelled}/cancel`);
    expect((await host.post(`/v1/runs/${cancelled}/complete`, { status: 'completed' }, { token: 'tlr_other' })).status).toBe(409);
  });

  it('AUT-9 a phase is one line of up to 200 characters, while the run lives', async () => {
    const id = await run();
    const token = await begun(id);
    const say = (phase: unknown) => host.post(`/v1/runs/${id}/phase`, { phase }, { token });
    expect((await say('cloning\r\n\u0007 acme/app\t')).body.phase).toBe('cloning acme/app');
    expect((await say('x'.repeat(200))).status).toBe(200);
    for (const phase of ['', ' \n ', 'x'.repeat(201), 1, null]) expect([phase, (await say(phase)).status]).toEqual([phase, 400]);
    await host.post(`/v1/runs/${id}/cancel`);
    const after = await say('on and on');
    expect([after.status, after.body.detail]).toEqual([409, `run ${id} is cancelled already`]);
  });
});
