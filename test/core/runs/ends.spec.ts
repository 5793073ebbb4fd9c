import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { reconcileRun } from '../../../src/core/runs/end-run.js';
import { requeueRun } from '../../../src/core/runs/start-run.js';
import { giveUpRun } from '../../../src/core/runs/take-over.js';
import { Dispatching } from '../../automations/runs/dispatching.js';
import { comment } from '../../core/builders.js';
import { eachCore } from '../../core/core.js';

eachCore('the life of a run', (open) => {
  let runs: Dispatching;

  beforeEach(async () => {
    runs = await Dispatching.over(open());
  });
  afterEach(() => runs.stop());

  const admit = (...texts: string[]) => runs.core.admitAll(...texts.map((text) => comment('T-1', text)));
  const conversationOf = async () => {
    const [row] = await runs.core.rows<{ conversation: string }>('select conversation from queues');
    return row?.conversation ?? '';
  };
  const outcomes = async () => runs.core.outcomes(await conversationOf());

  it('AUT-5 what waited while a run began goes when its conversation is open, in order, and ends the run when it is at rest', async () => {
    await runs.automated.make();
    await admit('one', 'two', 'three');
    expect(await runs.core.claim()).toEqual([]);
    const run = await runs.begin();
    expect(await runs.read(run.id)).toMatchObject({ state: 'running', phase: 'agent working', attempt: 0, owner: runs.core.owner });
    const claim = await runs.core.claimOne();
    expect(claim).toMatchObject({ from: 1, to: 3 });
    expect(await runs.desk.watch()).toBe(0);
    await runs.core.finish(claim);
    expect(await runs.desk.watch()).toBe(1);
    expect(await runs.read(run.id)).toMatchObject({ state: 'completed', error: null, owner: null, subject: 'tracker/T-1' });
    expect((await runs.read(run.id)).released_at).not.toBeNull();
    expect(await runs.desk.end({ run: run.id, how: 'fail', token: null, error: 'late', detail: null })).toBeNull();
  });

  it('AUT-9 an attempt that was fenced changes nothing', async () => {
    await runs.automated.make();
    await admit('one');
    const [first] = (await runs.claim()) ?? [];
    if (!first) throw new Error('no run');
    await runs.core.database.transaction((tx) => giveUpRun(tx, first.id, [runs.core.owner]));
    const [second] = (await runs.claim()) ?? [];
    expect(second?.token).toBeGreaterThan(first.token);
    expect(await runs.open(first)).toBe(false);
    expect(await runs.desk.end({ run: first.id, how: 'fail', token: first.token, error: 'old', detail: null })).toBeNull();
    expect(second && (await runs.open(second))).toBe(true);
  });

  it('AUT-8 a start that fails is tried again after a pause, only before anything of it had begun', async () => {
    await runs.automated.make();
    await admit('one');
    const [run] = (await runs.claim()) ?? [];
    if (!run) throw new Error('no run');
    const requeue = () => runs.core.database.transaction((tx) => requeueRun(tx, run, 'no room', 60_000));
    await runs.core.change('update runs set begun_at = 1 where id = ?', run.id);
    expect(await requeue()).toBe(false);
    await runs.core.change('update runs set begun_at = null where id = ?', run.id);
    expect(await requeue()).toBe(true);
    expect(await requeue()).toBe(false);
    expect(await runs.read(run.id)).toMatchObject({ state: 'queued', attempt: 1, owner: null, detail: 'no room' });
    expect(await runs.claim()).toEqual([]);
  });

  it('AUT-10 a run that fails before it opened begins another one for what waited behind it; its own message is dead', async () => {
    await runs.automated.make();
    await admit('one', 'two');
    const [run] = (await runs.claim()) ?? [];
    if (!run) throw new Error('no run');
    const ended = await runs.desk.end({ run: run.id, how: 'fail', token: run.token, error: 'start_failed', detail: 'it is gone' });
    expect(await outcomes()).toEqual(['prompt dead', 'prompt open']);
    expect(await runs.read(ended?.restart ?? '')).toMatchObject({ state: 'queued', cause: 'restart', sequence: 2, subject: 'tracker/T-1' });
    expect((await runs.core.queue(run.conversation)).parked).toBe('starting');
    const again = await runs.begin();
    expect(again.id).toBe(ended?.restart);
    expect(await runs.core.claimOne()).toMatchObject({ from: 2, to: 2 });
  });

  it('AUT-10 what waited behind a failed run of an automation that is off is not begun', async () => {
    const id = await runs.automated.make();
    await admit('one', 'two');
    await runs.automated.switchOffElsewhere(id);
    const [run] = (await runs.claim()) ?? [];
    const ended = await runs.desk.end({ run: run?.id ?? '', how: 'fail', token: null, error: 'start_failed', detail: null });
    expect(ended?.restart).toBeNull();
    expect(await outcomes()).toEqual(['prompt dead', 'prompt skipped']);
    expect((await runs.core.queue(await conversationOf())).parked).toBeNull();
  });

  it('AUT-9 cancelling stops what waits and what works, releases the subject and keeps it on record', async () => {
    await runs.automated.make();
    await admit('one');
    const run = await runs.begin();
    const claim = await runs.core.claimOne();
    await admit('two');
    const fenced: string[] = [];
    runs.core.signals.on('fenced', (ids) => fenced.push(...ids));
    const row = await runs.desk.cancel('default', run.id, 'ada');
    expect(row).toMatchObject({ state: 'cancelled', error: 'cancelled', detail: 'cancelled by ada', subject: 'tracker/T-1' });
    expect(row.released_at).not.toBeNull();
    expect(fenced).toEqual([run.conversation]);
    expect(await runs.core.finish(claim)).toBe('stale');
    expect(await outcomes()).toEqual(['prompt interrupted', 'prompt skipped']);
    await expect(runs.desk.cancel('default', run.id, 'ada')).rejects.toThrow('is cancelled already');
    await expect(runs.desk.cancel('other', run.id, 'ada')).rejects.toThrow('There is no run');
    const [answer] = await admit('three');
    expect(answer?.runs_created).toHaveLength(1);
  });

  it('AUT-9 a run that waits can be cancelled, and its sandbox is to be removed', async () => {
    await runs.automated.make({ keep_alive: true });
    await admit('one');
    await runs.desk.cancel('default', (await runs.automated.runs())[0]?.id ?? '', 'ada');
    expect(await runs.claim()).toEqual([]);
    await admit('two');
    const [run] = (await runs.claim()) ?? [];
    const sandbox = await runs.sandbox(run?.id ?? '');
    await runs.desk.cancel('default', run?.id ?? '', 'ada');
    const [row] = await runs.core.rows<{ delete_at: number | null }>('select delete_at from sandboxes where id = ?', sandbox);
    expect(row?.delete_at).not.toBeNull();
  });

  it('AUT-9 a run out of time fails and its turn is stopped; a success that comes late is reconciled', async () => {
    await runs.automated.make();
    await admit('one');
    const run = await runs.begin();
    const claim = await runs.core.claimOne();
    await runs.core.change('update runs set deadline_at = 1 where id = ?', run.id);
    expect(await runs.desk.watch()).toBe(1);
    expect(await runs.read(run.id)).toMatchObject({ state: 'failed', error: 'timed_out', timed_out: 1 });
    expect(await runs.core.finish(claim)).toBe('stale');
    expect(await outcomes()).toEqual(['prompt interrupted']);
    const reconcile = () => runs.core.database.transaction((tx) => reconcileRun(tx, run.id, 0.5, null));
    expect(await reconcile()).toBe(true);
    expect(await runs.read(run.id)).toMatchObject({ state: 'completed', error: null, cost_usd: 0.5 });
    expect(await reconcile()).toBe(false);
  });

  it('AUT-10 a run whose turn has failed too often fails, and what waits behind its message goes on', async () => {
    await runs.automated.make();
    await admit('one');
    const run = await runs.begin();
    const claim = await runs.core.claimOne();
    await admit('two');
    const turn = { state: 'failed', session: null, result: null, error: 'broke', detail: null, costUsd: 0.25 } as const;
    const policy = { maxAttempts: 1, backoff: { firstMs: 1, factor: 1, maxMs: 1 } };
    await runs.core.endAll([{ claim, how: 'failed', failure: 'it broke', onDead: 'stall', turn }], policy);
    expect(await runs.desk.watch()).toBe(1);
    expect(await runs.read(run.id)).toMatchObject({ state: 'failed', error: 'turn_failed', detail: 'it broke', cost_usd: 0.25 });
    expect(await outcomes()).toEqual(['prompt dead', 'prompt open']);
    expect(await runs.core.claimOne()).toMatchObject({ from: 2 });
  });

  it('AUT-8 queue lets one run of an automation live at a time, in their order; others are not held up by it', async () => {
    await runs.automated.make({ concurrency: 'queue' });
    const about = ['T-1', 'T-2', 'T-3'];
    for (const key of about) await runs.core.admit(comment(key));
    const order: (string | null)[] = [];
    for (const _ of about) {
      const claimed = (await runs.claim()) ?? [];
      expect(claimed).toHaveLength(1);
      expect(await runs.claim()).toEqual([]);
      for (const run of claimed) {
        order.push(run.subject);
        await runs.open(run);
        await runs.core.finish(await runs.core.claimOne());
        await runs.desk.watch();
      }
    }
    expect(order).toEqual(about.map((key) => `tracker/${key}`));
    expect(await runs.states()).toEqual(['completed', 'completed', 'completed']);
  });

  it('AUT-8 no more runs of a replica live than its cap', async () => {
    await runs.automated.make();
    for (const key of ['T-1', 'T-2', 'T-3']) await runs.core.admit(comment(key));
    expect(await runs.claim(2)).toHaveLength(2);
    expect(await runs.claim(2)).toHaveLength(0);
    expect(await runs.claim(3)).toHaveLength(1);
  });

  it('AUT-10 three failures in a row that only a person can mend switch the automation off, a success between them does not', async () => {
    const id = await runs.automated.make();
    const end = async (how: 'fail' | 'complete' | 'cancel', isPermanent: boolean) => {
      await admit('go');
      const [run] = (await runs.claim()) ?? [];
      return runs.desk.end({
        run: run?.id ?? '',
        how,
        token: null,
        error: how === 'complete' ? null : 'no',
        detail: 'no key',
        isPermanent,
      });
    };
    for (const how of ['fail', 'fail', 'complete', 'fail', 'cancel', 'fail'] as const) expect((await end(how, true))?.disabled).toBeNull();
    expect((await end('fail', false))?.disabled).toBeNull();
    for (const _ of [1, 2]) await end('fail', true);
    await admit('go');
    const [last] = (await runs.claim()) ?? [];
    await runs.core.admit(comment('T-9'));
    const detail = '3 runs in a row failed for good; the last one: no key';
    const end3 = { run: last?.id ?? '', how: 'fail', token: null, error: 'no', detail: 'no key', isPermanent: true } as const;
    expect((await runs.desk.end(end3))?.disabled).toBe(detail);
    expect(await runs.core.rows('select id, state, disabled_reason, disabled_detail from automations')).toEqual([
      { id, state: 'disabled', disabled_reason: 'permanent_failures', disabled_detail: detail },
    ]);
    expect(await runs.states()).toContain('skipped');
    expect(await runs.states()).not.toContain('queued');
    expect(await runs.core.rows('select action, target from audit')).toEqual([{ action: 'automation.disable', target: id }]);
  });

  it('AUT-10 ten failures in a row within a day switch it off, whatever they were; nine, or ten over two days, do not', async () => {
    await runs.automated.make();
    const fail = async () => {
      await admit('go');
      const [run] = (await runs.claim()) ?? [];
      return runs.desk.end({ run: run?.id ?? '', how: 'fail', token: null, error: 'start_failed', detail: 'no room' });
    };
    for (let i = 0; i < 9; i++) expect((await fail())?.disabled).toBeNull();
    const [oldest] = await runs.core.rows<{ id: string }>('select id from runs order by ended_at, created_at limit 1');
    await runs.core.change('update runs set ended_at = ended_at - 90000000 where id = ?', oldest?.id ?? '');
    expect((await fail())?.disabled).toBeNull();
    expect((await fail())?.disabled).toBe('the last 10 runs failed within a day; the last one: no room');
  });
});
