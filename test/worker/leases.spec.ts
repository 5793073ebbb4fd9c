import { afterEach, expect, it } from '@jest/globals';
import { enlist } from '../../src/core/replicas/replicas.js';
import { closing, comment, route } from '../core/builders.js';
import { type Core, delivered, eachCore, replica } from '../core/core.js';
import { Bench, type BenchOptions, until } from './harness.js';

const SHORT = { leaseMs: 600, heartbeatMs: 100 };

eachCore('leases of replicas', (open) => {
  const ends: (() => Promise<void>)[] = [];

  const bench = async (core: Core, options: BenchOptions = {}) => {
    const made = new Bench(core, [route()], options);
    ends.push(() => made.stop());
    await made.start();
    return made;
  };

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const clock = async (core: Core) => (await core.rows<{ now: number }>(`select ${core.database.dialect.now} as now`))[0]?.now ?? 0;

  it('TRN-9 B26 a turn of ten lease lengths runs once', async () => {
    const core = open();
    // On SQLite nobody could take over, so no stall of the machine can fail this; elsewhere it would have to be one of two seconds.
    const leaseMs = core.database.dialect.name === 'sqlite' ? 1000 : 2000;
    const { runtime } = await bench(core, { ...SHORT, leaseMs });
    const { core: second, close } = await core.another();
    ends.unshift(close);
    // On SQLite there is no second server.
    const rival =
      core.database.dialect.name === 'sqlite'
        ? null
        : await bench(second, { ...SHORT, leaseMs, self: replica('rival', { pid: 778 }), database: second.database });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const began = await clock(core);
    const turn = await Promise.race([runtime.next(), ...(rival ? [rival.runtime.next()] : [])]);
    await until(async () => (await clock(core)) - began > 10 * leaseMs);
    expect(turn.isAborted).toBe(false);
    turn.finish();
    await until(async () => (await core.queue(conversation)).open === 0);
    expect(runtime.begun.length + (rival?.runtime.begun.length ?? 0)).toBe(1);
    expect(await core.rows('select token, state from turns')).toEqual([{ token: 1, state: 'done' }]);
  });

  it('TRN-9 a lease goes on while every connection of the pool waits for something else', async () => {
    const core = open();
    if (core.database.dialect.name === 'sqlite') return;
    const database = await core.test.open({ poolSize: 2 });
    ends.unshift(() => database.close());
    const { runtime } = await bench(core, { ...SHORT, leaseMs: 1500, database });
    await core.admit(comment('T-1'));
    const turn = await runtime.next();
    const began = await clock(core);
    const released = Promise.withResolvers<void>();
    const held = Array.from({ length: 4 }, () => database.transaction(() => released.promise));
    await until(async () => (await clock(core)) - began > 4000);
    expect(turn.isAborted).toBe(false);
    released.resolve();
    await Promise.all(held);
    turn.finish();
  });

  it('TRN-9 a replica that was not heard of for a lease stops its turns, changes nothing, and joins anew', async () => {
    const core = open();
    const { runtime, membership } = await bench(core, SHORT);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const first = await runtime.next();
    const before = membership.owner;
    // Given up by another replica: its row is gone.
    await core.change('delete from replicas where id = ?', before);
    await core.change('update queues set owner = null, token = token + 1, ready_at = 1 where conversation = ?', conversation);
    await until(() => first.isAborted && membership.owner !== null && membership.owner !== before);
    const again = await runtime.next();
    expect(again.input.turn.id).toBe(`${conversation}.3`);
    again.finish();
    await until(async () => (await core.queue(conversation)).open === 0);
    expect(await core.rows('select token, state from turns')).toEqual([{ token: 3, state: 'done' }]);
  });

  it('TRN-9 a look at its claims stops a turn whose claim was taken away without a word', async () => {
    const core = open();
    const { runtime, worker } = await bench(core, SHORT);
    await core.admit(comment('T-1'));
    const turn = await runtime.next();
    const { core: other, close } = await core.another();
    ends.unshift(close);
    await other.admit(closing('T-1', 10));
    await until(() => turn.isAborted && worker.turnsRunning === 0);
  });

  it('REC-1 what a replica held that died is done by another when its lease has run out', async () => {
    const core = open();
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const dead = await core.database.transaction((tx) => enlist(tx, replica('dead', { pid: 9 }), 60_000));
    const claim = await core.claimOne({ owner: dead });
    const { runtime } = await bench(core, SHORT);
    await core.change('update replicas set lease_until = 1 where id = ?', dead);
    const turn = await runtime.next();
    expect(turn.input.turn).toMatchObject({ id: `${conversation}.${claim.token + 2}`, attempt: 1 });
    turn.finish();
    await until(async () => (await core.queue(conversation)).open === 0);
    expect(await core.finish(claim)).toBe('stale');
  });
});
