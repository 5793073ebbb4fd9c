import { afterEach, expect, it } from '@jest/globals';
import { comment, route } from '../core/builders.js';
import { type Core, delivered, eachCore } from '../core/core.js';
import { Bench, type BenchOptions, until } from './harness.js';
import { SteerableRuntime } from './steerable.runtime.js';

const ORG = 'default';

eachCore('steering turns that run', (open) => {
  const benches: Bench[] = [];

  const bench = async (core: Core, options: BenchOptions = {}, routes = [route()]) => {
    const made = new Bench(core, routes, options);
    benches.push(made);
    await made.start();
    return made;
  };

  const steerable = async (core: Core, options: BenchOptions = {}) => {
    const runtime = new SteerableRuntime();
    return { ...(await bench(core, { workspaces: [{ runtime }], ...options })), runtime };
  };

  afterEach(async () => {
    await Promise.all(benches.splice(0).map((each) => each.stop()));
  });

  const isIdle = (core: Core, id: string) => async () => (await core.queue(id)).open === 0;
  const turnStates = async (core: Core) =>
    (await core.rows<{ state: string }>('select state from turns order by token')).map(({ state }) => state);

  it('FIF-8 a message that arrives while the turn runs is given to it, with its text, and completes with it', async () => {
    const core = open();
    const { runtime } = await steerable(core);
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const turn = await runtime.next();
    await core.admitAll(comment('T-1', 'two'), comment('T-1', 'three'));
    await until(() => runtime.appended.length === 2);
    turn.finish();
    await until(isIdle(core, conversation));
    expect(runtime.appended).toEqual([2, 3]);
    expect(runtime.begun).toHaveLength(1);
    expect(await core.outcomes(conversation)).toEqual(['prompt done', 'prompt done', 'prompt done']);
    expect(await core.rows('select from_sequence, to_sequence, caused_by from turns')).toEqual([
      { from_sequence: 1, to_sequence: 3, caused_by: 'person' },
    ]);
  });

  it('FIF-8 what the runtime does not take gets a turn of its own', async () => {
    const core = open();
    const { runtime } = await steerable(core);
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const turn = await runtime.next();
    runtime.isWilling = false;
    await core.admit(comment('T-1', 'two'));
    turn.finish();
    const second = await runtime.next();
    expect(second.sequences).toEqual([2]);
    second.finish();
    await until(isIdle(core, conversation));
    expect(runtime.appended).toEqual([]);
  });

  it('FIF-8 a message at the very end of a turn is given to exactly one turn', async () => {
    const core = open();
    const { runtime } = await steerable(core);
    const { conversation } = delivered(await core.admit(comment('T-1')));
    for (let round = 1; round <= 20; round++) {
      const turn = await runtime.next();
      await Promise.all([core.admit(comment('T-1')), Promise.resolve().then(() => turn.finish())]);
      if ((await core.queue(conversation)).open === 0) await core.admit(comment('T-1'));
      else await until(async () => runtime.begun.at(-1) !== turn || isIdle(core, conversation)());
      if (await isIdle(core, conversation)()) await core.admit(comment('T-1'));
    }
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    const given = [...runtime.begun.flatMap(({ sequences }) => sequences), ...runtime.appended].sort((a, b) => a - b);
    expect(given).toEqual((await core.deliveries(conversation)).map(({ sequence }) => sequence));
  });

  it('FIF-8 what another process admitted reaches the turn within a poll', async () => {
    const core = open();
    const { runtime } = await steerable(core);
    const { core: other, close } = await core.another();
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const turn = await runtime.next();
    await other.admit(comment('T-1', 'two'));
    await until(() => runtime.appended.length === 1);
    turn.finish();
    await until(isIdle(core, conversation));
    await close();
  });

  it('FIF-8 a turn that can rests while it is paused, holds no worker, and goes on with a resume', async () => {
    const core = open();
    const { runtime, worker } = await steerable(core, { concurrency: 1 });
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const turn = await runtime.next();
    await core.operations.pause(ORG, conversation, 'ada');
    await until(async () => (await core.queue(conversation)).resting === 1);
    expect(await turnStates(core)).toEqual(['paused']);
    expect(worker.turnsRunning).toBe(0);
    await core.admitAll(comment('T-1', 'two'), comment('T-2', 'beside it'));
    (await runtime.next()).finish();
    expect(runtime.appended).toEqual([]);
    await core.operations.resume(ORG, conversation, 'ada');
    await until(async () => runtime.steps.length === 2);
    expect(runtime.steps).toEqual(['rests', 'goes on']);
    expect(await core.rows('select state from turns where conversation = ?', conversation)).toEqual([{ state: 'active' }]);
    turn.finish();
    await until(async () => (await core.deliveries(conversation))[0]?.outcome === 'done');
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
  });

  it('FIF-8 a turn that cannot rest ends, and what waits is not begun before a resume', async () => {
    const core = open();
    const { runtime } = await bench(core);
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const turn = await runtime.next();
    await core.operations.pause(ORG, conversation, 'ada');
    await core.admit(comment('T-1', 'two'));
    turn.finish();
    await until(async () => (await core.queue(conversation)).owner === null);
    expect(await core.queue(conversation)).toMatchObject({ open: 1, ready_at: null });
    await core.operations.resume(ORG, conversation, 'ada');
    const second = await runtime.next();
    expect(second.sequences).toEqual([2]);
    second.finish();
    await until(isIdle(core, conversation));
  });

  it('REC-6 a server that stops leaves a turn at rest at once, for the next one, still paused', async () => {
    const core = open();
    const { runtime, worker } = await steerable(core, { graceMs: 600_000 });
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    await runtime.next();
    await core.operations.pause(ORG, conversation, 'ada');
    await until(async () => (await core.queue(conversation)).resting === 1);
    await worker.stop();
    expect(await core.queue(conversation)).toMatchObject({ owner: null, resting: 0, paused: 1, ready_at: null, parked: null });
    expect(await turnStates(core)).toEqual(['interrupted']);
    expect((await core.deliveries(conversation))[0]).toMatchObject({ state: 'pending', attempts: 0, interruptions: 1 });
    await core.operations.resume(ORG, conversation, 'ada');
    expect((await core.queue(conversation)).ready_at).not.toBeNull();
  });

  it('FIF-8 RST-2 commands never wait behind a turn: a reset ends one that would take for ever, and what comes next begins anew', async () => {
    const core = open();
    const { runtime } = await bench(core, { concurrency: 1 });
    const { conversation } = delivered(await core.admit(comment('T-1', 'think for ten minutes')));
    const turn = await runtime.next();
    turn.say({ type: 'session', id: 's-1' });
    await until(async () => (await core.conversation(conversation)).session === 's-1');
    await core.operations.reset(ORG, conversation, 'ada');
    await core.admit(comment('T-1', 'hello again'));
    const second = await runtime.next();
    expect(turn.isAborted).toBe(true);
    expect(second.input).toMatchObject({ session: null, turn: { attempt: 1, messages: [{ sequence: 2 }] } });
    second.finish();
    await until(isIdle(core, conversation));
    expect(await core.outcomes(conversation)).toEqual(['prompt reset', 'prompt done']);
    expect(await core.conversation(conversation)).toMatchObject({ session: null });
  });

  it('RST-1 what a turn of before the boundary still says is no session of after it', async () => {
    const core = open();
    const { runtime } = await bench(core);
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const turn = await runtime.next();
    turn.say({ type: 'session', id: 'old' });
    await until(async () => (await core.conversation(conversation)).session === 'old');
    await Promise.all([
      core.operations.reset(ORG, conversation, 'ada'),
      Promise.resolve().then(() => turn.say({ type: 'session', id: 'older' })),
    ]);
    await until(() => turn.isAborted);
    expect(await core.conversation(conversation)).toMatchObject({ session: null });
  });

  it('FIF-8 an interrupting message ends the turn, and has the next one', async () => {
    const routes = [route({ whileBusy: 'interrupt' })];
    const core = open(...routes);
    const { runtime } = await bench(core, {}, routes);
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const turn = await runtime.next();
    await core.admit(comment('T-1', 'no, this'));
    const second = await runtime.next();
    expect([turn.isAborted, second.sequences]).toEqual([true, [2]]);
    second.finish();
    await until(isIdle(core, conversation));
    expect(await core.outcomes(conversation)).toEqual(['prompt interrupted', 'prompt done']);
  });

  it('FIF-8 an operator’s stop, reset or pause on another replica reaches the turn within a poll', async () => {
    const core = open();
    const { runtime } = await bench(core);
    const { core: other, close } = await core.another();
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const turn = await runtime.next();
    await other.operations.reset(ORG, conversation, 'ada');
    await until(() => turn.isAborted);
    await close();
  });
});
