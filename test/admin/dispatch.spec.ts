import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eachDatabase } from '../databases.js';
import { AdminHost, type Answer } from './admin-host.js';

const NOBODY = '0b8e7a8e-45c9-4d0a-9f39-1d2f5f0c3a11';

eachDatabase('starting automations through the admin API', (make) => {
  let host: AdminHost;
  let count = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make);
  });
  afterAll(() => host.close());

  const made = async (change: object = {}): Promise<string> => {
    const triggers = [{ type: 'event', source: 'tracker', on: 'issues.*' }];
    const answer = await host.post('/v1/automations', {
      name: `automation ${++count}`,
      triggers,
      prompt: 'Look.',
      runtime: 'helper',
      ...change,
    });
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  const dispatch = (id: string, body?: unknown, key?: string): Promise<Answer> =>
    host.post(`/v1/automations/${id}/dispatch`, body, key === undefined ? {} : { key });

  it.each(['enabled', 'disabled', 'draft'])('AUT-1 one that is %s is started by hand, with what it is given', async (state) => {
    const id = await made({ state });
    const { status, body } = await dispatch(id, { inputs: { branch: 'main' } });
    expect([status, body]).toEqual([
      201,
      {
        ...{ id: expect.any(String), automation_id: id, conversation_id: expect.any(String), receipt: expect.any(String), state: 'queued' },
        created_at: expect.stringMatching(/^20/),
      },
    ]);
    const [run] = await host.core.rows<object>('select * from runs where id = ?', body.id);
    expect(run).toMatchObject({ cause: 'api', inputs: '{"branch":"main"}', subject: null, no_subject: null, sequence: 1 });
    expect((await host.get(`/v1/receipts/${body.receipt}`)).body).toMatchObject({
      source: 'api',
      disposition: 'routed',
      payload: '{"inputs":{"branch":"main"}}',
    });
    const messages = await host.get(`/v1/conversations/${body.conversation_id}/deliveries`);
    expect(JSON.stringify(messages.body)).toContain(`automation:${id}`);
  });

  it('ADM-2 the same request under one key starts it once, and its audit line names it', async () => {
    const id = await made();
    const [first, second] = [await dispatch(id, {}, 'once'), await dispatch(id, {}, 'once')];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect((await dispatch(id)).body.id).not.toBe(first.body.id);
    const audit = await host.get(`/v1/audit?action=automation.dispatch&target=${id}`);
    expect(audit.body.items).toHaveLength(2);
  });

  it('AUT-1 one that starts nothing while a run of it lives says so', async () => {
    const id = await made({ concurrency: 'skip' });
    const first = await dispatch(id);
    const second = await dispatch(id);
    expect([second.status, second.body]).toMatchObject([409, { code: 'run_in_progress' }]);
    const rows = await host.core.rows<{ state: string }>('select state from runs where automation = ? order by state', id);
    expect([first.status, rows.map(({ state }) => state)]).toEqual([201, ['queued', 'skipped']]);
  });

  it('refuses what is none, what is wrong, and who may not', async () => {
    const id = await made();
    expect((await dispatch(NOBODY)).status).toBe(404);
    expect((await dispatch('x')).status).toBe(404);
    expect((await host.post(`/v1/automations/${id}/dispatch?org=acme`, {})).status).toBe(404);
    for (const inputs of ['x', 5, [1], true]) expect((await dispatch(id, { inputs })).status).toBe(400);
    expect((await dispatch(id, { inputs: { long: 'x'.repeat(70_000) } })).body).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'inputs' }],
    });
    const { token } = await host.token('viewer');
    expect((await host.post(`/v1/automations/${id}/dispatch`, {}, { token })).status).toBe(403);
    expect((await host.post(`/v1/automations/${id}/dispatch`, '{ "inputs": { "__proto__": { "a": 1 } } }')).status).toBe(400);
    await host.delete(`/v1/automations/${id}`);
    expect((await dispatch(id)).status).toBe(404);
  });

  it('a dry run names automations beside routes, and one can be asked alone', async () => {
    const id = await made({
      triggers: [
        { type: 'event', source: 'tracker', on: 'push' },
        { type: 'event', source: 'tracker', on: 'issues.*', filter: 'urgent' },
      ],
    });
    const sample = {
      source: 'tracker',
      event: 'issues.opened',
      payload: { urgent: true, parsed: { kind: 'recorded', subject: { namespace: 'n', key: 'T-1' }, reason: 'quiet' } },
    };
    const route = `automation:${id}`;
    const before = [await host.core.count('receipts'), await host.core.count('runs')];
    const { body } = await host.post('/v1/dry-run', { ...sample, route });
    expect(body).toMatchObject({
      kind: 'recorded',
      matched: 1,
      candidates: [
        { route, matched: true, conversation_state: 'new', subject: { key: 'T-1' }, wake: true, text: expect.stringContaining('urgent') },
      ],
    });
    const all = await host.post('/v1/dry-run', { ...sample, payload: { ...sample.payload, urgent: false } });
    expect(all.body.candidates.map((each: { route: string }) => each.route)).toEqual(expect.arrayContaining(['triage', route]));
    expect(all.body.candidates.find((each: { route: string }) => each.route === route)).toMatchObject({ matched: false, reason: 'filter' });
    expect([await host.core.count('receipts'), await host.core.count('runs')]).toEqual(before);
    for (const none of [`automation:${NOBODY}`, 'automation:', 'automation:x', 'nothing'])
      expect((await host.post('/v1/dry-run', { ...sample, route: none })).body).toMatchObject({
        code: 'invalid_input',
        errors: [{ path: 'route' }],
      });
  });
});
