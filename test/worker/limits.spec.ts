import { afterEach, expect, it } from '@jest/globals';
import { NO_RULES, type WorkspaceRules } from '../../src/core/limits/rules.js';
import { comment, route } from '../core/builders.js';
import { type Core, delivered, eachCore } from '../core/core.js';
import { Bench, until } from './harness.js';

const ORG = 'default';
const BOTS = { allowSelf: true, allowBots: true, allow: [] };

eachCore('what turns may cost and cause', (open) => {
  const benches: Bench[] = [];
  let parked: string[] = [];

  const bench = async (core: Core, rules: Partial<WorkspaceRules>) => {
    const made = new Bench(core, [route({ authors: BOTS })], { workspaces: [{ rules: { ...NO_RULES, ...rules } }] });
    benches.push(made);
    parked = [];
    core.signals.on('parked', (kind) => parked.push(kind));
    await made.start();
    return made;
  };

  afterEach(async () => {
    await Promise.all(benches.splice(0).map((each) => each.stop()));
  });

  const spendings = (core: Core) => core.rows<{ usd: number; day: string }>('select workspace, day, usd from spendings');
  const isParked = (core: Core, id: string) => async () => (await core.queue(id)).parked !== null;
  const isIdle = (core: Core, id: string) => async () => (await core.queue(id)).open === 0;

  it('TRN-7 a turn that costs more than it may is stopped, and its conversation waits for a person', async () => {
    const core = open(route({ authors: BOTS }));
    const { runtime } = await bench(core, { usdPerTurn: 0.5 });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    turn.say({ type: 'cost', usd: 0.4 });
    turn.say({ type: 'cost', usd: 0.2 });
    await until(isParked(core, conversation));
    expect(await core.queue(conversation)).toMatchObject({ parked: 'spent', ready_at: null, owner: null, open: 1 });
    expect((await core.deliveries(conversation))[0]).toMatchObject({
      attempts: 0,
      failure: 'spent: a turn may cost 0.5 USD, and that is reached',
    });
    expect(await core.rows('select state, cost_usd from turns')).toEqual([{ state: 'failed', cost_usd: expect.closeTo(0.6) }]);
    expect(await core.rows('select kind from notes')).toEqual([{ kind: 'spent' }]);
    expect(await spendings(core)).toMatchObject([{ workspace: 'main', usd: expect.closeTo(0.6) }]);
    await until(() => parked.length === 1);
    await core.operations.resume(ORG, conversation, 'ada');
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
  });

  it('TRN-7 the costs of a conversation add up over its turns, and a resume lets it spend as much again', async () => {
    const core = open(route({ authors: BOTS }));
    const { runtime } = await bench(core, { usdPerConversation: 1 });
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const cost = async (usd: number) => {
      const turn = await runtime.next();
      turn.say({ type: 'cost', usd });
      turn.finish();
    };
    await cost(1);
    await until(isIdle(core, conversation));
    await core.admit(comment('T-1', 'more'));
    await until(isParked(core, conversation));
    expect(runtime.begun).toHaveLength(1);
    expect((await core.deliveries(conversation))[1]?.failure).toContain('the conversation may cost 1 USD');
    await core.operations.retry(ORG, `${conversation}.2`, 'ada');
    await cost(0.3);
    await until(isIdle(core, conversation));
    expect(await core.rows('select spent_usd from conversations')).toEqual([{ spent_usd: expect.closeTo(0.3) }]);
  });

  it('TRN-7 a workspace whose day is spent waits for the next one, all of it, and an operator lets one go on', async () => {
    const core = open(route({ authors: BOTS }));
    const { runtime } = await bench(core, { usdPerDay: 1 });
    const first = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    turn.say({ type: 'cost', usd: 1 });
    turn.finish();
    await until(isIdle(core, first.conversation));
    const { conversation } = delivered(await core.admit(comment('T-2')));
    await until(isParked(core, conversation));
    const { ready_at } = await core.queue(conversation);
    const [spent] = await spendings(core);
    expect(new Date((ready_at ?? 0) - 1).toISOString().slice(0, 10)).toBe(spent?.day);
    expect(new Date(ready_at ?? 0).toISOString()).toContain('T00:00:00.000Z');
    await core.operations.resume(ORG, conversation, 'ada');
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
  });

  it('TRN-7 on the next day it goes on by itself', async () => {
    const core = open(route({ authors: BOTS }));
    const { runtime } = await bench(core, { usdPerDay: 1 });
    const first = delivered(await core.admit(comment('T-1')));
    const turn = await runtime.next();
    turn.say({ type: 'cost', usd: 2 });
    await until(isParked(core, first.conversation));
    await core.change("update spendings set day = '2000-01-01'");
    await core.change('update queues set ready_at = 1 where conversation = ?', first.conversation);
    (await runtime.next()).finish();
    await until(isIdle(core, first.conversation));
    expect(await core.queue(first.conversation)).toMatchObject({ parked: null });
  });

  it('TRN-7 the costs of turns that failed, were lost, or were stopped are booked, too', async () => {
    const core = open(route({ authors: BOTS }));
    const { runtime } = await bench(core, {});
    const ends = [async () => (await runtime.next()).fail('no'), async () => (await runtime.next()).crash('lost'), async () => undefined];
    for (const [index, end] of ends.entries()) {
      const { conversation } = delivered(await core.admit(comment(`T-${index}`)));
      const begun = runtime.begun.length;
      await until(() => runtime.begun.length > begun);
      runtime.begun.at(-1)?.say({ type: 'cost', usd: 0.25 });
      await until(async () => (await core.count('transcripts')) === index + 1);
      await end();
      if (index === 2) await core.operations.stop(ORG, conversation, 'ada');
      await until(async () => ((await spendings(core))[0]?.usd ?? 0) > 0.25 * index + 0.1);
    }
    expect(await spendings(core)).toMatchObject([{ usd: expect.closeTo(0.75) }]);
  });

  it('TRN-10 B56 two machines that answer each other are put aside for a person after so many turns', async () => {
    const core = open(route({ authors: BOTS }));
    const { runtime } = await bench(core, { loop: { turns: 3, windowMs: 600_000 } });
    const say = (name: string) => core.admit(comment('T-1', 'ping', { author: { id: name, name, isBot: true } }));
    const { conversation } = delivered(await say('left'));
    for (const name of ['right', 'left', 'right']) {
      (await runtime.next()).finish();
      await until(isIdle(core, conversation));
      await say(name);
    }
    await until(isParked(core, conversation));
    expect(await core.queue(conversation)).toMatchObject({ parked: 'looping', ready_at: null });
    expect(runtime.begun).toHaveLength(3);
    expect(parked).toEqual(['looping']);
    expect(await core.rows('select kind, reason from notes')).toEqual([{ kind: 'looping', reason: expect.stringContaining('3 turns') }]);
    await core.operations.resume(ORG, conversation, 'ada');
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
  });

  it('TRN-10 a person between resets the count, and old turns do not count', async () => {
    const core = open(route({ authors: BOTS }));
    const { runtime } = await bench(core, { loop: { turns: 2, windowMs: 600_000 } });
    const robot = { id: 'robot', name: 'robot', isBot: true };
    const { conversation } = delivered(await core.admit(comment('T-1', 'x', { author: robot })));
    const next = async (author?: typeof robot) => {
      (await runtime.next()).finish();
      await until(isIdle(core, conversation));
      await core.admit(comment('T-1', 'x', author ? { author } : {}));
    };
    await next(robot);
    await next();
    await next(robot);
    await next(robot);
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    await core.change('update turns set started_at = 1');
    await core.admit(comment('T-1', 'x', { author: robot }));
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    expect(parked).toEqual([]);
  });

  it('TRN-10 our own messages count as those of machines', async () => {
    const core = open(route({ authors: BOTS }));
    const { runtime } = await bench(core, { loop: { turns: 1, windowMs: 600_000 } });
    const self = { id: 'app', name: 'app', isBot: false, isSelf: true };
    const { conversation } = delivered(await core.admit(comment('T-1', 'x', { author: self })));
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    await core.admit(comment('T-1', 'x', { author: self }));
    await until(isParked(core, conversation));
  });
});
