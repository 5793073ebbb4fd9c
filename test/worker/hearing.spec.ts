import { afterEach, expect, it } from '@jest/globals';
import { Hearing } from '../../src/compose/hearing.js';
import { comment, route } from '../core/builders.js';
import { type Core, delivered, eachCore, replica } from '../core/core.js';
import { Bench, type BenchOptions, until } from './harness.js';

/** Nothing in these tests may be found by looking. */
const NEVER = { pollMs: 3_600_000 };

eachCore('replicas that hear of each other', (open) => {
  const ends: (() => Promise<void>)[] = [];

  const bench = async (core: Core, options: BenchOptions) => {
    const made = new Bench(core, [route()], options);
    const hearing = new Hearing(core.test.url, null, made.signals, () => made.worker.isFull);
    const heard = new Promise<void>((resolve) => made.signals.once('sources', () => resolve()));
    ends.push(async () => {
      await made.stop();
      await hearing.stop();
    });
    await made.start();
    hearing.start();
    // Whoever begins to hear looks for what was said before.
    if (core.test.name === 'postgresql') await heard;
    return made;
  };

  const pair = async (core: Core, options: BenchOptions = {}) => {
    const { core: second, close } = await core.another();
    const one = await bench(core, { ...NEVER, ...options });
    const two = await bench(second, { ...NEVER, self: replica('second', { pid: 778 }), database: second.database });
    ends.unshift(close);
    return { one, two, second };
  };

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  it('ING-10 TRN-9 what becomes ready where there is no room is worked at once where there is some', async () => {
    const core = open();
    // A SQLite file has one server, which has nobody to hear of.
    if (core.test.name === 'sqlite') return void (await bench(core, NEVER));
    const { one, two } = await pair(core, { concurrency: 1 });
    await core.admit(comment('T-1'));
    const first = await Promise.race([one.runtime.next(), two.runtime.next()]);
    await core.admit(comment('T-2'));
    const other = await Promise.race([one.runtime.next(), two.runtime.next()]);
    expect(new Set([first, other].map(({ input }) => input.conversation.subject.key)).size).toBe(2);
    for (const turn of [first, other]) turn.finish();
    await until(async () => (await core.rows('select 1 from queues where open > 0')).length === 0);
  });

  it('TRN-6 an operator’s stop on one replica ends the turn on another at once', async () => {
    const core = open();
    if (core.test.name === 'sqlite') return;
    const { one, two } = await pair(core, { concurrency: 0 });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await two.runtime.next();
    expect(one.runtime.begun).toHaveLength(0);
    await core.operations.stop('default', conversation, 'ada');
    await until(() => turn.isAborted && two.worker.turnsRunning === 0);
    expect(await core.outcomes(conversation)).toEqual(['prompt interrupted']);
  });

  it('TRN-9 word of an older claim does not stop the turn of a newer one', async () => {
    const core = open();
    if (core.test.name === 'sqlite') return;
    const { two } = await pair(core, { concurrency: 0 });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await two.runtime.next();
    core.signals.emit('fenced', [conversation]);
    await core.admit(comment('T-2'));
    (await two.runtime.next()).finish();
    expect(turn.isAborted).toBe(false);
    turn.finish();
    await until(async () => (await core.queue(conversation)).open === 0);
  });

  it('AUT-1 a change of an automation is told to the other replicas at once, and by nobody twice', async () => {
    const core = open();
    if (core.test.name === 'sqlite') return;
    const { one, two } = await pair(core);
    const said: string[] = [];
    one.signals.on('automations', () => said.push('one'));
    two.signals.on('automations', () => said.push('two'));
    one.signals.emit('automations');
    await until(async () => said.length === 2);
    two.signals.emit('automations');
    await until(async () => said.length === 4);
    expect(said).toEqual(['one', 'two', 'two', 'one']);
  });
});
