import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { makeSandbox, type SandboxWanted } from '../../../src/automations/sandboxes/make-sandbox.js';
import { REMOTE_DEFAULTS, RemoteSandboxes } from '../../../src/automations/sandboxes/remote/remote-sandboxes.js';
import { KEEPER_DEFAULTS, SandboxKeeper } from '../../../src/automations/sandboxes/sandbox-keeper.js';
import type { SandboxKind } from '../../../src/automations/sandboxes/sandbox-kind.js';
import { SandboxServers } from '../../../src/automations/sandboxes/sandbox-servers.js';
import type { ClaimedRun } from '../../../src/core/runs/claim-runs.js';
import type { SandboxRow } from '../../../src/core/sandboxes/sandboxes.js';
import { comment } from '../../core/builders.js';
import { eachCore } from '../../core/core.js';
import { FakeSandboxApi } from '../../fakes/sandbox-api/sandbox-api.js';
import { Dispatching } from '../runs/dispatching.js';

const SECRET_KEY = Buffer.alloc(32, 9);
const QUICK = { readyMs: 2_000, pollMs: 1, wakePollMs: 1, timeoutMs: 300, patience: { tries: 2, firstMs: 1, mostMs: 1 } };

eachCore('sandboxes of runs', (open) => {
  let runs: Dispatching;
  let api: FakeSandboxApi;
  let kind: SandboxKind | null;
  let run: ClaimedRun;
  let warnings: string[];
  const signal = new AbortController().signal;

  beforeEach(async () => {
    runs = await Dispatching.over(open());
    api = await FakeSandboxApi.listen();
    kind = new RemoteSandboxes({ ...REMOTE_DEFAULTS, ...QUICK, url: api.url, apiKey: 'cloud-key' });
    warnings = [];
    await runs.automated.make();
    await runs.core.admitAll(comment('T-1', 'one'));
    run = await runs.begin();
  });
  afterEach(async () => {
    await runs.stop();
    await api.close();
  });

  const keeper = () =>
    new SandboxKeeper(
      runs.core.database,
      () => kind,
      (message) => warnings.push(message),
      { ...KEEPER_DEFAULTS, firstPauseMs: 0, mostPauseMs: 0 },
    );
  const servers = () => new SandboxServers(runs.core.database, () => kind, SECRET_KEY, { wakeMs: 300, pollMs: 1 });
  const find = () => servers().find(run.conversation, signal);
  const wanted = (): SandboxWanted => ({
    ...{ attempt: run, org: 'default', kind: 'remote', runtime: 'cloud', conversation: run.conversation, folder: null, whole: '/nowhere' },
  });
  const make = () => makeSandbox(runs.core.database, kind as SandboxKind, SECRET_KEY, wanted(), signal);
  const row = async () => (await runs.core.rows<SandboxRow>('select * from sandboxes'))[0] as SandboxRow;
  const cancel = () => runs.desk.cancel('default', run.id, 'ada');
  const keep = () => runs.core.change('update sandboxes set idle_at = 1');

  it('AUT-11 a run has its sandbox stored before the API is asked, and its key sealed after', async () => {
    let before: unknown;
    const inner = kind as SandboxKind;
    kind = Object.assign(Object.create(inner) as SandboxKind, {
      create: async (...asked: Parameters<SandboxKind['create']>) => {
        before = await row();
        return inner.create(...asked);
      },
    });
    const { sandbox, place } = await make();
    expect(before).toMatchObject({ id: sandbox.id, state: 'creating', run: run.id });
    expect((await runs.read(run.id)).sandbox).toBe(sandbox.id);
    const stored = await row();
    expect(stored).toMatchObject({ state: 'ready', remote_id: sandbox.remoteId, url: place.url });
    expect(Buffer.from(stored.secret ?? '').includes(place.apiKey ?? '-')).toBe(false);
    expect(await find()).toEqual(place);
  });

  it('AUT-11 a run that tries again gets what it had', async () => {
    const first = await make();
    expect(await make()).toEqual(first);
    expect(api.sandboxes.size).toBe(1);
  });

  it('AUT-6 an attempt that is not on any more makes nothing, and takes nothing away', async () => {
    await make();
    const stale = { ...wanted(), attempt: { id: run.id, token: run.token - 1 } };
    await expect(makeSandbox(runs.core.database, kind as SandboxKind, SECRET_KEY, stale, signal)).rejects.toThrow('begun by somebody else');
    expect(await row()).toMatchObject({ state: 'ready', delete_at: null });
    await cancel();
    await expect(make()).rejects.toThrow('has ended');
    expect(api.sandboxes.size).toBe(1);
  });

  it('AUT-9 a run that is cancelled while its sandbox starts leaves nothing', async () => {
    api.start = { status: 'RUNNING', asks: 1_000_000 };
    const making = make();
    const refused = expect(making).rejects.toThrow();
    await api.nextCall();
    await cancel();
    api.start = { status: 'RUNNING', asks: 0 };
    for (const each of api.sandboxes.values()) each.asksLeft = 0;
    await refused;
    await keeper().look(signal);
    expect(api.sandboxes.size).toBe(0);
    expect(await row()).toMatchObject({ state: 'gone', secret: null });
  });

  it('AUT-9 a run that is cancelled while the API makes its sandbox leaves nothing, also where it is removed before it is known', async () => {
    const inner = kind as SandboxKind;
    kind = Object.assign(Object.create(inner) as SandboxKind, {
      create: (request: Parameters<SandboxKind['create']>[0], onMade: Parameters<SandboxKind['create']>[1], stop: AbortSignal) =>
        inner.create(
          request,
          async (made) => {
            await cancel();
            await keeper().look(signal);
            await onMade(made);
          },
          stop,
        ),
    });
    await expect(make()).rejects.toThrow('nobody wants the sandbox');
    expect(api.sandboxes.size).toBe(1);
    expect(await row()).toMatchObject({ state: 'deleting' });
    expect(await keeper().look(signal)).toBe(1);
    expect(api.sandboxes.size).toBe(0);
  });

  it('AUT-11 what cannot be removed is tried again until it is, and that is told', async () => {
    await make();
    await cancel();
    let failures = 3;
    api.manner = (call) => (call.method === 'DELETE' && failures-- > 0 ? { status: 500, body: {} } : 'ok');
    for (let i = 0; i < 3; i++) await keeper().look(signal);
    expect(await row()).toMatchObject({ state: 'deleting', attempts: 3, failure: expect.stringContaining('500') });
    expect(warnings[0]).toContain('cannot be removed');
    // On a busy machine the API may not answer within the short time that it has here.
    for (let tries = 0; tries < 20 && (await row()).state !== 'gone'; tries++) await keeper().look(signal);
    expect(await row()).toMatchObject({ state: 'gone' });
    expect(api.sandboxes.size).toBe(0);
  });

  it('AUT-11 a sandbox whose runtime is configured no more is told of, and removed when it is again', async () => {
    await make();
    await cancel();
    const again = kind;
    kind = null;
    await keeper().look(signal);
    expect(await row()).toMatchObject({ state: 'deleting', failure: expect.stringContaining('cloud is not in the configuration') });
    kind = again;
    await keeper().look(signal);
    expect(api.sandboxes.size).toBe(0);
  });

  it('AUT-5 a sandbox that nobody uses sleeps, and the next message wakes it', async () => {
    const { place } = await make();
    await runs.core.change("update runs set state = 'completed', ended_at = 1, released_at = 1");
    await runs.core.change(`update sandboxes set idle_at = created_at - ?`, KEEPER_DEFAULTS.idleMs);
    await keeper().look(signal);
    expect(await row()).toMatchObject({ state: 'paused' });
    expect([...api.sandboxes.values()][0]?.status).toBe('PAUSED');
    expect(await find()).toEqual(place);
    expect(await row()).toMatchObject({ state: 'ready' });
  });

  it('AUT-5 one that does not wake in time is not gone', async () => {
    await make();
    for (const each of api.sandboxes.values()) each.status = 'PAUSED';
    api.start = { status: 'STARTING', asks: 0 };
    await expect(find()).rejects.toMatchObject({ kind: 'transient', message: expect.stringContaining('did not answer within') });
    expect(await row()).toMatchObject({ state: 'ready' });
  });

  it('AUT-5 one that is gone is stored as gone, and its conversation has none', async () => {
    await make();
    api.sandboxes.clear();
    expect(await find()).toBeNull();
    expect(await row()).toMatchObject({ state: 'gone', failure: 'the sandbox API does not know it', secret: null });
    expect(await find()).toBeNull();
  });

  it('AUT-5 where the API cannot be asked a sandbox is reached where it was', async () => {
    const { place } = await make();
    api.manner = () => ({ status: 500, body: {} });
    expect(await find()).toEqual(place);
    await keep();
    await runs.core.change("update sandboxes set state = 'paused'");
    await expect(find()).rejects.toMatchObject({ kind: 'transient' });
  });

  it('AUT-11 two replicas do not do one chore twice', async () => {
    await make();
    await cancel();
    await Promise.all([keeper().look(signal), keeper().look(signal)]);
    expect(api.calls.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });
});
