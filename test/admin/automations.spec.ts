import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { syncAutomations } from '../../src/automations/definitions/sync-automations.js';
import { configuredId } from '../../src/core/conversations/conversation-id.js';
import { spec } from '../core/automations/specs.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

const NOBODY = '0b8e7a8e-45c9-4d0a-9f39-1d2f5f0c3a11';

eachDatabase('automations through the admin API', (make) => {
  let host: AdminHost;
  let count = 0;
  let told = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make);
    host.core.signals.on('automations', () => {
      told++;
    });
  });
  afterAll(() => host.close());
  beforeEach(() => {
    told = 0;
  });

  const written = (change: object = {}) => ({
    ...{ name: `automation ${++count}`, triggers: [{ type: 'event', source: 'tracker', on: 'issues.*' }] },
    ...{ prompt: 'Look at it.', runtime: 'helper' },
    ...change,
  });
  const made = async (change: object = {}, token?: string) => {
    const { status, body } = await host.post('/v1/automations', written(change), token === undefined ? {} : { token });
    expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })]);
    return body;
  };

  it('AUT-1 an automation is made, read, changed and deleted', async () => {
    const body = await made({ timeout: '90s', triggers: [{ type: 'cron', schedule: '0 9 * * *' }] });
    expect(body).toMatchObject({
      ...{ org: 'default', origin: 'api', state: 'enabled', enabled: true, version: 1, generation: 1, owner: 'environment' },
      ...{
        triggers: [{ type: 'cron', schedule: '0 9 * * *', timezone: 'UTC', catch_up: 'one' }],
        prompt: 'Look at it.',
        runtime: 'helper',
      },
      ...{ timeout: 90, keep_alive: false, concurrency: 'allow', on_sandbox_gone: 'restart', on_edit: null, disabled_reason: null },
    });
    expect((await host.get(`/v1/automations/${body.id}`)).body).toEqual(body);
    const changed = await host.patch(`/v1/automations/${body.id}`, { prompt: 'Look twice.', version: 1 });
    expect([changed.status, changed.body]).toMatchObject([200, { version: 2, generation: 1, prompt: 'Look twice.', timeout: 90 }]);
    expect((await host.patch(`/v1/automations/${body.id}`, { prompt: 'Late.', version: 1 })).body).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('version 2'),
    });
    expect((await host.patch(`/v1/automations/${body.id}`, { runtime: 'box' })).body).toMatchObject({ version: 3, generation: 2 });
    expect((await host.get(`/v1/automations/${body.id}/versions?limit=2`)).body).toMatchObject({
      items: [
        { version: 3, generation: 2, runtime: 'box', made_by: 'environment' },
        { version: 2, prompt: 'Look twice.' },
      ],
      next_cursor: expect.any(String),
    });
    expect(await host.walk(`/v1/automations/${body.id}/versions`, 1)).toHaveLength(3);
    expect(told).toBe(3);
    const gone = await host.delete(`/v1/automations/${body.id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect(host.world.stoppedBy).toContainEqual([body.id, 'environment']);
    for (const again of [
      host.delete(`/v1/automations/${body.id}`),
      host.get(`/v1/automations/${body.id}`),
      host.patch(`/v1/automations/${body.id}`, {}),
    ])
      expect((await again).status).toBe(404);
    for (const id of ['x', NOBODY]) expect((await host.get(`/v1/automations/${id}`)).status).toBe(404);
  });

  it('AUT-1 a version before is read, and made the present one again', async () => {
    const { id } = await made({ timeout: 30 });
    await host.patch(`/v1/automations/${id}`, { tarball_path: 'https://x/y', entrypoint: 'run', runtime: 'box', timeout: 40 });
    const first = (await host.get(`/v1/automations/${id}/versions/1`)).body;
    expect(first).toMatchObject({ version: 1, prompt: 'Look at it.', runtime: 'helper', timeout: 30 });
    const restored = await host.post(`/v1/automations/${id}/versions/1/restore`);
    expect([restored.status, restored.body]).toMatchObject([
      200,
      { version: 3, generation: 3, prompt: 'Look at it.', tarball_path: null, entrypoint: null, runtime: 'helper', timeout: 30 },
    ]);
    for (const version of ['4', '0', 'x', '99999999999'])
      for (const gone of [
        host.get(`/v1/automations/${id}/versions/${version}`),
        host.post(`/v1/automations/${id}/versions/${version}/restore`),
      ])
        expect((await gone).status).toBe(404);
    const other = await host.token('operator');
    expect((await host.post(`/v1/automations/${id}/versions/1/restore`, undefined, { token: other.token })).status).toBe(403);
  });

  it('AUT-1 AUT-2 what is wrong is refused with every fault: 400 where it is malformed, 422 where it cannot be stored', async () => {
    const refused = async (change: object) => {
      const { status, body } = await host.post('/v1/automations', written(change));
      return [status, body.code, (body.errors ?? []).map(({ path }: { path: string }) => path)];
    };
    expect(await refused({ name: undefined, extra: 1, timeout: 0 })).toEqual([400, 'invalid_input', ['name', 'timeout', 'extra']]);
    const wrong = [{ type: 'event', source: 'tracker', filter: 'nothing(a)', turn_text_expr: 'a[' }];
    expect(await refused({ triggers: wrong })).toEqual([422, 'invalid_automation', ['triggers[0].filter', 'triggers[0].turn_text_expr']]);
    expect(await refused({ triggers: [{ type: 'cron', schedule: '0 0 30 2 *' }] })).toEqual([
      422,
      'invalid_automation',
      ['triggers[0].schedule'],
    ]);
    expect(await refused({ state: 'on' })).toEqual([400, 'invalid_input', ['state']]);
    for (const body of ['[]', '"x"', '1']) expect((await host.post('/v1/automations', body)).status).toBe(400);
    const { id } = await made();
    expect((await host.patch(`/v1/automations/${id}`, { triggers: wrong })).status).toBe(422);
    expect((await host.patch(`/v1/automations/${id}`, { name: null })).status).toBe(400);
    expect((await host.patch(`/v1/automations/${id}`, { version: 'x' })).status).toBe(400);
    expect((await host.get(`/v1/automations/${id}`)).body.version).toBe(1);
  });

  it('AUT-3 one that continues conversations keeps its sandbox, whatever is changed', async () => {
    const triggers = [{ type: 'event', source: 'tracker', destination: 'continue_conversation' }];
    const { id, keep_alive } = await made({ triggers });
    expect(keep_alive).toBe(true);
    for (const refused of [
      host.post('/v1/automations', written({ triggers, keep_alive: false })),
      host.patch(`/v1/automations/${id}`, { keep_alive: false }),
    ])
      expect(await refused).toMatchObject({ status: 422, body: { detail: expect.stringContaining('continue_conversation') } });
  });

  it('AUT-1 two of one name are refused with 409', async () => {
    const first = await made({ name: 'twin' });
    const second = await made();
    for (const refused of [
      host.post('/v1/automations', written({ name: 'twin' })),
      host.patch(`/v1/automations/${second.id}`, { name: 'twin' }),
    ])
      expect(await refused).toMatchObject({ status: 409, body: { code: 'conflict', detail: expect.stringContaining(first.id) } });
    const many = await Promise.all(Array.from({ length: 5 }, () => host.post('/v1/automations', written({ name: 'crowd' }))));
    expect(many.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    expect((await host.get('/v1/automations?name=crowd')).body.items).toHaveLength(1);
  });

  it('AUT-1 it is switched off with a reason, on, and back to being a draft', async () => {
    const { id } = await made({ state: 'draft' });
    const step = async (verb: string, body?: object) => {
      const { status, body: answer } = await host.post(`/v1/automations/${id}/${verb}`, body);
      return [status, answer.state ?? answer.code, answer.disabled_reason ?? null, answer.disabled_detail ?? null];
    };
    expect(await step('enable')).toEqual([200, 'enabled', null, null]);
    expect(await step('enable')).toEqual([409, 'illegal_transition', null, null]);
    expect(await step('disable', { reason: 'too loud' })).toEqual([200, 'disabled', 'manual', 'too loud']);
    expect(host.world.stoppedBy).toContainEqual([id, 'environment']);
    expect(await step('disable')).toEqual([409, 'illegal_transition', null, null]);
    expect(await step('draft')).toEqual([200, 'draft', null, null]);
    expect((await host.get('/v1/automations?state=draft')).body.items.map((each: { id: string }) => each.id)).toContain(id);
  });

  it('AUT-1 it is switched by a change, too, which may change nothing else', async () => {
    const { id, enabled, disabled_reason } = await made({ enabled: false });
    expect([enabled, disabled_reason]).toEqual([false, 'manual']);
    const change = async (body: object) => {
      const { status, body: answer } = await host.patch(`/v1/automations/${id}`, body);
      return [status, answer.state ?? answer.code, answer.version ?? null];
    };
    expect(await change({ enabled: true })).toEqual([200, 'enabled', 1]);
    expect(await change({ enabled: true, timeout: 5 })).toEqual([200, 'enabled', 2]);
    expect(await change({ state: 'disabled', timeout: 6 })).toEqual([200, 'disabled', 3]);
    expect(host.world.stoppedBy).toContainEqual([id, 'environment']);
    expect(await change({ state: 'disabled', enabled: true })).toEqual([400, 'invalid_input', null]);
    expect(await change({ enabled: 'yes' })).toEqual([400, 'invalid_input', null]);
    expect(await change({ enabled: true, timeout: 0 })).toEqual([400, 'invalid_input', null]);
    expect((await host.get(`/v1/automations/${id}`)).body).toMatchObject({ state: 'disabled', version: 3 });
  });

  it('AUT-1 is not switched on where its runtime is gone', async () => {
    const { id } = await made({ state: 'draft' });
    await host.change(`update automations set spec = replace(spec, '"runtime":"helper"', '"runtime":"gone"') where id = ?`, id);
    expect(await host.post(`/v1/automations/${id}/enable`)).toMatchObject({ status: 422, body: { errors: [{ path: 'runtime' }] } });
  });

  it('AUT-1 one of the configuration is switched through the API, and changed in its file alone', async () => {
    const name = 'declared';
    await host.core.database.transaction((tx) =>
      syncAutomations(tx, [{ org: 'default', enabled: true, spec: spec({ name }), agent: 'helper (echo)' }]),
    );
    const id = configuredId('automation', 'default', name);
    expect((await host.get('/v1/automations?origin=config')).body.items).toMatchObject([
      { id, name, origin: 'config', owner: 'configuration' },
    ]);
    for (const refused of [host.patch(`/v1/automations/${id}`, { prompt: 'x' }), host.delete(`/v1/automations/${id}`)])
      expect(await refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('automations.declared') } });
    expect((await host.post(`/v1/automations/${id}/disable`)).status).toBe(200);
    expect((await host.post(`/v1/automations/${id}/enable`)).status).toBe(200);
  });

  it('ADM-1 belongs to who made it: another operator may switch it off, and nothing else', async () => {
    const [owner, other] = [await host.token('operator'), await host.token('operator')];
    const [viewer, acme] = [await host.token('viewer'), await host.token('admin', 'acme')];
    const { id, owner: named } = await made({}, owner.token);
    expect(named).toBe(`token:${owner.id} (operator of default)`);
    const as = ({ token }: { token: string }) => ({ token });
    expect((await host.patch(`/v1/automations/${id}`, { timeout: 5 }, as(other))).status).toBe(403);
    expect((await host.delete(`/v1/automations/${id}`, as(other))).status).toBe(403);
    expect((await host.post(`/v1/automations/${id}/disable`, {}, as(other))).status).toBe(200);
    expect((await host.post(`/v1/automations/${id}/enable`, undefined, as(other))).status).toBe(403);
    expect((await host.get(`/v1/automations/${id}`, as(viewer))).status).toBe(200);
    expect((await host.post('/v1/automations', written(), as(viewer))).status).toBe(403);
    for (const foreign of [
      host.get(`/v1/automations/${id}`, as(acme)),
      host.patch(`/v1/automations/${id}`, { timeout: 5 }, as(acme)),
      host.delete(`/v1/automations/${id}`, as(acme)),
    ])
      expect((await foreign).status).toBe(404);
    expect((await host.get('/v1/automations', as(acme))).body.items).toEqual([]);
    expect((await host.patch(`/v1/automations/${id}`, { timeout: 5 }, as(owner))).status).toBe(200);
    expect((await host.patch(`/v1/automations/${id}`, { timeout: 6 })).status).toBe(200);
  });

  it('ADM-2 an Idempotency-Key makes one automation of several requests, and each write is in the audit log', async () => {
    const body = written();
    const [first, second] = [
      await host.post('/v1/automations', body, { key: 'make-one' }),
      await host.post('/v1/automations', body, { key: 'make-one' }),
    ];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect((await host.post('/v1/automations', written(), { key: 'make-one' })).body).toMatchObject({ code: 'idempotency_key_reused' });
    const { id } = first.body;
    await host.patch(`/v1/automations/${id}`, { timeout: 5 });
    await host.post(`/v1/automations/${id}/disable`, { reason: 'why' });
    await host.delete(`/v1/automations/${id}`);
    const { items } = (await host.get(`/v1/audit?target=${id}`)).body;
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      ...['automation.delete', 'automation.disable', 'automation.update', 'automation.create'],
    ]);
    expect(items.at(-1)).toMatchObject({ actor: 'environment', detail: { result: 'done', name: body.name } });
  });
});
