import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { claimJobs } from '../../../src/core/jobs/claim-jobs.js';
import { finishJob } from '../../../src/core/jobs/jobs.js';
import { recover } from '../../../src/core/recovery/recover.js';
import { resumeCleanup } from '../../../src/core/recovery/resume-cleanup.js';
import { enlist } from '../../../src/core/replicas/replicas.js';
import { closing, comment, event, opened, prompt, route } from '../../core/builders.js';
import { type Core, delivered, eachCore, replica } from '../../core/core.js';
import { Bench, type BenchOptions, until } from '../harness.js';

const AT_ONCE = { maxAttempts: 3, backoff: { firstMs: 0, factor: 1, maxMs: 0 } };
const NOBODY = { isRunning: async () => true, endProcess: async () => undefined };

eachCore('what an end leaves to do', (open) => {
  const benches: Bench[] = [];
  const closers: (() => Promise<void>)[] = [];

  const bench = async (core: Core, options: BenchOptions = {}) => {
    const made = new Bench(core, [route()], { retry: AT_ONCE, ...options });
    benches.push(made);
    await made.start();
    return made;
  };

  afterEach(async () => {
    await Promise.all(benches.splice(0).map((each) => each.stop()));
    await Promise.all(closers.splice(0).map((close) => close()));
  });

  const reopening = (key: string, second: number) => event(prompt(key, 'reopened it', { observation: opened(second) }));
  const jobs = (core: Core) =>
    core.rows<{ kind: string; state: string; result: string | null; attempts: number; failure: string | null }>(
      'select kind, state, result, attempts, failure from jobs order by id',
    );
  const areOver = (core: Core) => async () => (await core.rows("select id from jobs where state in ('waiting', 'running')")).length === 0;
  const isIdle = (core: Core, id: string) => async () => (await core.queue(id)).open === 0;

  it('TRM-3 an empty folder of its own goes, one with files stays complete, and a configured directory is never touched', async () => {
    const core = open();
    const { runtime, folder } = await bench(core);
    const folders: string[] = [];
    for (const key of ['empty', 'used', 'nested']) {
      const { conversation } = delivered(await core.admit(comment(key)));
      const turn = await runtime.next();
      folders.push(turn.input.workspace);
      if (key === 'used') await writeFile(path.join(turn.input.workspace, 'notes.md'), 'mine');
      if (key !== 'used') await mkdir(path.join(turn.input.workspace, 'a', 'b'), { recursive: true });
      if (key === 'nested') await writeFile(path.join(turn.input.workspace, 'a', 'b', '.hidden'), '');
      turn.finish();
      await until(isIdle(core, conversation));
      await core.admit(closing(key, 10));
    }
    await until(areOver(core));
    expect(folders.map((each) => existsSync(each))).toEqual([false, true, true]);
    expect(existsSync(folder)).toBe(true);
    expect((await jobs(core)).map(({ kind, state, result }) => `${kind} ${state} ${result}`)).toEqual([
      ...['retire_runtime done retired', 'remove_files done removed'],
      ...['retire_runtime done retired', 'remove_files done kept'],
      ...['retire_runtime done retired', 'remove_files done kept'],
    ]);
  });

  it('TRM-3 an operator ends a conversation as its provider would: the same jobs, and the runtime lets go first', async () => {
    const core = open();
    const retired: string[] = [];
    const made = new Bench(core, [route()], { retry: AT_ONCE });
    const { runtime } = made;
    Object.assign(runtime, { retire: async (id: string) => void retired.push(id) });
    benches.push(made);
    await made.start();
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    await core.operations.terminate('default', conversation, 'enough', 'ada');
    await until(areOver(core));
    expect(turn.isAborted).toBe(true);
    expect(retired).toEqual([conversation]);
    expect(await jobs(core)).toMatchObject([
      { kind: 'retire_runtime', state: 'done' },
      { kind: 'remove_files', state: 'done', result: 'removed' },
    ]);
  });

  it('TRM-3 a job that fails is tried again until it succeeds, apart from the callback, and somebody is called once', async () => {
    const core = open();
    let tries = 0;
    const { signals } = await bench(core, {
      kinds: {
        remove_files: async () => {
          if (++tries <= 4) throw new Error('the disk is stuck');
          return 'removed';
        },
      },
    });
    const alerts: string[] = [];
    signals.on('alert', (about) => alerts.push(about));
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    await until(areOver(core));
    expect([tries, alerts]).toEqual([5, ['cleanup']]);
    expect(await core.outcomes(conversation)).toEqual(['lifecycle lifecycle']);
    expect(await core.rows("select noted_by, reason from notes where kind = 'alert'")).toEqual([
      { noted_by: 'worker', reason: 'remove_files: the disk is stuck' },
    ]);
    expect((await jobs(core))[1]).toMatchObject({ state: 'done', attempts: 4, failure: null });
  });

  it('TRM-6 a reopening waits for what is being cleared away, and what is not begun by then is never done', async () => {
    const core = open();
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const done: string[] = [];
    const { runtime } = await bench(core, {
      kinds: {
        retire_runtime: async () => {
          begun.resolve();
          await goOn.promise;
          return 'retired';
        },
        remove_files: async () => String(done.push('remove_files')),
      },
    });
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    await begun.promise;
    await core.admit(reopening('T-1', 20));
    await until(async () => (await core.deliveries(conversation))[1]?.failure === 'what its end left behind is being cleared away');
    expect(runtime.begun).toHaveLength(0);
    goOn.resolve();
    const turn = await runtime.next();
    expect(turn.input.turn.attempt).toBe(1);
    turn.finish();
    await until(areOver(core));
    expect(done).toEqual([]);
    expect(await jobs(core)).toMatchObject([{ state: 'done' }, { kind: 'remove_files', state: 'superseded' }]);
  });

  it('TRM-3 nothing is cleared away under a turn that answers after the end', async () => {
    const answering = route({ afterClose: 'answer' });
    const core = open(answering);
    const made = new Bench(core, [answering], { retry: AT_ONCE });
    benches.push(made);
    await core.admitAll(closing('T-1', 10), comment('T-1', 'thanks'));
    const owner = await core.database.transaction((tx) => enlist(tx, replica('gone', { pid: 11 }), 60_000));
    await core.finish(await core.claimOne({ owner }));
    await made.membership.join();
    made.worker.start();
    const turn = await made.runtime.next();
    made.jobs.start();
    turn.say({ type: 'session', id: 's-1' });
    await core.operations.terminate('default', turn.input.conversation.id, 'again', 'ada').catch(() => undefined);
    expect(existsSync(turn.input.workspace)).toBe(true);
    expect((await jobs(core)).every(({ state }) => state === 'waiting')).toBe(true);
    turn.finish();
    await until(areOver(core));
    expect(existsSync(turn.input.workspace)).toBe(false);
    expect(await core.conversation(turn.input.conversation.id)).toMatchObject({ state: 'terminal', session: null });
  });

  it('TRM-3 however many replicas look for jobs, each is begun once', async () => {
    const core = open();
    const { core: other, close } = await core.another();
    closers.push(close);
    const [first, second] = await Promise.all(
      ['a', 'b'].map((name) => core.database.transaction((tx) => enlist(tx, replica(name), 60_000))),
    );
    for (let i = 0; i < 12; i++) await core.admit(closing(`T-${i}`, 10));
    const take = (of: Core, owner: number | undefined) =>
      of.database.transaction((tx) => claimJobs(tx, { owner: owner ?? 0, kinds: ['retire_runtime', 'remove_files'], limit: 5 }));
    const taken: number[] = [];
    for (let round = 0; round < 20; round++)
      for (const [i, begun] of (await Promise.all([take(core, first), take(other, second)])).entries())
        for (const job of begun ?? []) {
          taken.push(job.id);
          expect(await core.database.transaction((tx) => finishJob(tx, job, (i === 0 ? first : second) ?? 0, 'done'))).toBe(true);
        }
    expect(taken.toSorted((a, b) => a - b)).toEqual(
      (await core.rows<{ id: number }>('select id from jobs order by id')).map(({ id }) => id),
    );
    expect(await areOver(core)()).toBe(true);
  });

  it('REC-1 what a dead replica was clearing away is done anew, and its late word changes nothing', async () => {
    const core = open();
    const dead = await core.database.transaction((tx) => enlist(tx, replica('dead', { pid: 9 }), 60_000));
    await core.admit(closing('T-1', 10));
    const request = { owner: dead, kinds: ['retire_runtime', 'remove_files'], limit: 5 };
    const [job] = (await core.database.transaction((tx) => claimJobs(tx, request))) ?? [];
    if (!job) throw new Error('no job was claimed');
    await core.change('update replicas set lease_until = 1 where id = ?', dead);
    const self = await core.database.transaction((tx) => enlist(tx, replica('self', { pid: 10 }), 60_000));
    const summary = await recover(core.database, { id: self, ...replica('self', { pid: 10 }) }, NOBODY);
    expect(summary).toMatchObject({ repaired: { jobs: 1 }, failed: [] });
    expect(await core.database.transaction((tx) => finishJob(tx, job, dead, 'late'))).toBe(false);
    await bench(core);
    await until(areOver(core));
    expect((await jobs(core)).map(({ state }) => state)).toEqual(['done', 'done']);
  });

  it('REC-1 a start tries everything again that had failed, and takes care of ends of an earlier version', async () => {
    const core = open();
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    const old = delivered(await core.admit(closing('T-2', 10))).conversation;
    const later = '(select max(created_at) + 3000000 from jobs)';
    await core.change(`update jobs set due_at = ${later}, attempts = 4 where conversation = ?`, conversation);
    await core.change(`update deliveries set due_at = ${later}, attempts = 4 where conversation = ?`, conversation);
    await core.change(`update queues set ready_at = ${later} where conversation = ?`, conversation);
    // As a replica of the first schema leaves it.
    await core.change('delete from jobs where conversation = ?', old);
    await core.change('update conversations set ending = 0, ending_sequence = null where id = ?', old);
    const told: string[] = [];
    const settle = async ({ conversation: { id } }: { conversation: { id: string } }) => void told.push(id);
    expect(await resumeCleanup(core.database)).toEqual({ adopted: 1, hurried: 3, failed: [] });
    expect(await resumeCleanup(core.database)).toEqual({ adopted: 0, hurried: 0, failed: [] });
    await bench(core, { provider: { lifecycle: { settle } } });
    await until(areOver(core));
    for (const id of [conversation, old]) await until(isIdle(core, id));
    expect(told.sort()).toEqual([conversation, old].sort());
    expect(await jobs(core)).toHaveLength(4);
  });
});
