import { afterEach, expect, it } from '@jest/globals';
import { comment, route } from '../core/builders.js';
import { type Core, eachCore } from '../core/core.js';
import { Bench, type BenchOptions, until } from '../worker/harness.js';
import type { StagedTurn } from '../worker/staged.runtime.js';

const CONVERSATIONS = 50;

eachCore('turns that take long', (open) => {
  let bench: Bench;
  let close = async (): Promise<void> => undefined;

  const start = async (core: Core, options: BenchOptions) => {
    bench = new Bench(core, [route()], options);
    await bench.start();
    return bench.runtime;
  };

  afterEach(async () => {
    await bench.stop();
    await close();
    close = async () => undefined;
  });

  it('B35 FIF-9 a turn that does not end delays none that was claimed with it, and none after it', async () => {
    const core = open();
    await core.admitAll(comment('T-1'), comment('T-2'), comment('T-3'));
    const runtime = await start(core, { concurrency: 3 });
    const together = [await runtime.next(), await runtime.next(), await runtime.next()];
    for (const turn of together.slice(1)) turn.finish();
    await core.admitAll(...Array.from({ length: 20 }, (_, i) => comment(`L-${i}`)));
    for (let i = 0; i < 20; i++) (await runtime.next()).finish();
    await until(async () => (await core.rows('select 1 from queues where open > 0')).length === 1);
    expect(together[0]?.isAborted).toBe(false);
    together[0]?.finish();
    await until(async () => (await core.rows('select 1 from queues where open > 0')).length === 0);
  });

  it('B43 ING-10 fifty turns at one time hold no connection: a pool of two makes progress beside them', async () => {
    const core = open();
    const database = await core.test.open({ poolSize: 2 });
    close = () => database.close();
    const runtime = await start(core, core.database.dialect.name === 'sqlite' ? { concurrency: 50 } : { concurrency: 50, database });
    await core.admitAll(...Array.from({ length: CONVERSATIONS }, (_, i) => comment(`T-${i}`, 'first')));
    bench.worker.wake();
    const turns: StagedTurn[] = [];
    while (turns.length < CONVERSATIONS) turns.push(await runtime.next());
    expect(bench.worker.turnsRunning).toBe(CONVERSATIONS);
    await Promise.all(Array.from({ length: CONVERSATIONS }, (_, i) => core.admit(comment(`T-${i}`, 'second'))));
    for (const turn of turns) turn.say({ type: 'text', text: 'at work' });
    for (const turn of turns) turn.finish();
    for (let i = 0; i < CONVERSATIONS; i++) (await runtime.next()).finish();
    await until(async () => (await core.rows('select 1 from queues where open > 0')).length === 0);
    expect(await core.rows("select count(*) as done from turns where state = 'done'")).toEqual([{ done: 2 * CONVERSATIONS }]);
  }, 60_000);
});
