import { afterEach, expect, it } from '@jest/globals';
import { enlist } from '../../src/core/replicas/replicas.js';
import { checkpoint } from '../../src/core/turns/turns.js';
import { type LifecycleHandler, ProviderFault, type Settlement } from '../../src/plugin/index.js';
import { closing, comment, ended, event, lifecycle, opened, prompt, route } from '../core/builders.js';
import { type Core, delivered, eachCore, POLICY, replica } from '../core/core.js';
import { Bench, type BenchOptions, until } from './harness.js';

const AT_ONCE = { maxAttempts: 3, backoff: { firstMs: 0, factor: 1, maxMs: 0 } };

/** A provider that is told of ends, and answers as the test says. */
class Told implements LifecycleHandler {
  readonly calls: Settlement[] = [];
  answer: (settlement: Settlement) => Promise<void> = async () => undefined;

  settle(settlement: Settlement): Promise<void> {
    this.calls.push(settlement);
    return this.answer(settlement);
  }
}

eachCore('the end of a conversation, told to its provider', (open) => {
  const benches: Bench[] = [];

  const bench = async (core: Core, provider: LifecycleHandler, options: BenchOptions = {}) => {
    const made = new Bench(core, [route()], { provider: { lifecycle: provider }, retry: AT_ONCE, ...options });
    benches.push(made);
    await made.start();
    return made;
  };

  afterEach(async () => {
    await Promise.all(benches.splice(0).map((each) => each.stop()));
  });

  const reopening = (key: string, second: number) => event(prompt(key, 'reopened it', { observation: opened(second) }));
  const isIdle = (core: Core, id: string) => async () => (await core.queue(id)).open === 0;

  it('TRM-3 it is told once nothing runs any more, with its whole identity, context and revision, and its row completes with that', async () => {
    const core = open();
    const told = new Told();
    const { runtime, worker } = await bench(core, told);
    const { conversation } = delivered(await core.admit(comment('T-1', 'hi', { title: 'A title' })));
    const turn = await runtime.next();
    let wasRunning: number | null = null;
    told.answer = async ({ fence }) => {
      wasRunning = turn.isAborted ? 0 : worker.turnsRunning;
      expect(await fence.holds()).toBe(true);
    };
    const parsed = { ...lifecycle('T-1', ended(10)), context: { state: 's-9' } };
    await core.admit(event(parsed, { deliveryId: 'closed-1' }));
    await until(isIdle(core, conversation));
    expect(wasRunning).toBe(0);
    expect(told.calls).toHaveLength(1);
    expect(told.calls[0]).toMatchObject({
      identity: { org: 'default', provider: 'fake', source: 'tracker', deliveryId: 'closed-1' },
      conversation: { id: conversation, namespace: 'tracker:acme', key: 'T-1', title: 'A title' },
      ...{ context: { state: 's-9' }, reason: 'completed', revision: '2026-01-01T00:00:10.000Z' },
    });
    expect(await core.outcomes(conversation)).toEqual(['prompt retired', 'lifecycle lifecycle']);
  });

  it('FIF-5 what fails is tried again for as long as it takes: it never stalls, and somebody is called once', async () => {
    const core = open();
    const told = new Told();
    told.answer = async () => {
      if (told.calls.length <= 5) throw new ProviderFault('out of order', 'permanent');
    };
    const { signals } = await bench(core, told);
    const alerts: string[] = [];
    signals.on('alert', (about) => alerts.push(about));
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    await until(isIdle(core, conversation));
    expect(told.calls).toHaveLength(6);
    expect(alerts).toEqual(['lifecycle']);
    expect(await core.rows("select kind, noted_by, reason from notes where kind = 'alert'")).toEqual([
      { kind: 'alert', noted_by: 'worker', reason: 'out of order' },
    ]);
    expect(await core.deliveries(conversation)).toMatchObject([{ attempts: 5, outcome: 'lifecycle' }]);
  });

  it('FIF-5 the pause between two tries grows up to an hour', async () => {
    const core = open();
    const told = new Told();
    told.answer = () => Promise.reject(new Error('no'));
    await bench(core, told, { retry: { maxAttempts: 2, backoff: { firstMs: 86_400_000, factor: 2, maxMs: 864_000_000 } } });
    const before = Date.now();
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    const head = async () => (await core.deliveries(conversation))[0];
    await until(async () => (await head())?.attempts === 1);
    const due = (await head())?.due_at ?? 0;
    expect(due).toBeGreaterThan(before);
    expect(due - before).toBeLessThan(3_600_000 + 60_000);
    expect(await head()).toMatchObject({ state: 'pending', failure: 'no' });
    expect(await core.queue(conversation)).toMatchObject({ parked: null, owner: null });
  });

  it('TRM-3 a provider that never answers is given up after its time and told again; its late word finds the fence closed', async () => {
    const core = open();
    const told = new Told();
    const late: Promise<boolean>[] = [];
    told.answer = async (settlement) => {
      if (told.calls.length > 1) return;
      await new Promise<void>((resolve) => settlement.signal.addEventListener('abort', () => resolve(), { once: true }));
      // It heeds nothing, and goes on a while after it was given up.
      late.push(until(isIdle(core, settlement.conversation.id)).then(() => settlement.fence.holds()));
      await new Promise(() => undefined);
    };
    await bench(core, told, { callMs: 50 });
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    await until(isIdle(core, conversation));
    expect(told.calls).toHaveLength(2);
    expect(await Promise.all(late)).toEqual([false]);
  });

  it('TRM-6 a reopening waits for a running settlement, whose fence closes at once; nothing more is done about that end', async () => {
    const core = open();
    const told = new Told();
    const { runtime } = await bench(core, told);
    const begun = Promise.withResolvers<Settlement>();
    const goOn = Promise.withResolvers<void>();
    told.answer = (settlement) => {
      begun.resolve(settlement);
      return goOn.promise;
    };
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    const { fence } = await begun.promise;
    expect(await fence.holds()).toBe(true);
    await core.admit(reopening('T-1', 20));
    expect(await fence.holds()).toBe(false);
    expect(runtime.begun).toHaveLength(0);
    goOn.resolve();
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    expect(await core.outcomes(conversation)).toEqual(['lifecycle superseded', 'prompt done']);
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open' });
    expect(told.calls).toHaveLength(1);
  });

  it('TRM-3 an end that was taken back before its turn is told nobody', async () => {
    const core = open();
    const told = new Told();
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    await core.admit(reopening('T-1', 20));
    const { runtime } = await bench(core, told);
    (await runtime.next()).finish();
    await until(isIdle(core, conversation));
    expect(told.calls).toHaveLength(0);
    expect(await core.outcomes(conversation)).toEqual(['lifecycle superseded', 'prompt done']);
  });

  it('FIF-5 a newer end supersedes one that is still tried: only the newer one is told on', async () => {
    const core = open();
    const told = new Told();
    told.answer = async ({ revision }) => {
      if (revision === '2026-01-01T00:00:10.000Z') throw new Error('no');
    };
    await bench(core, told);
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    await until(() => told.calls.length > 2);
    await core.admit(closing('T-1', 20));
    await until(isIdle(core, conversation));
    expect(await core.outcomes(conversation)).toEqual(['lifecycle superseded', 'lifecycle lifecycle']);
    expect(told.calls.at(-1)).toMatchObject({ revision: '2026-01-01T00:00:20.000Z' });
  });

  it('TRM-1 a newer revision of the same end does not take its settlement away', async () => {
    const core = open();
    const told = new Told();
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    await core.admit(
      comment('T-1', 'late', { observation: { state: 'terminal', revision: '2026-01-01T00:00:11.000Z', transition: false } }),
    );
    await bench(core, told);
    await until(isIdle(core, conversation));
    expect(told.calls).toMatchObject([{ revision: '2026-01-01T00:00:11.000Z', reason: 'completed' }]);
    expect(await core.outcomes(conversation)).toEqual(['lifecycle lifecycle']);
  });

  it('TRM-3 an agent that survived its server is ended before the provider is told', async () => {
    const core = open();
    const told = new Told();
    const killed: [number, string][] = [];
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const owner = await core.database.transaction((tx) => enlist(tx, replica('dead', { pid: 9 }), 60_000));
    const claim = await core.claimOne({ owner });
    await core.database.transaction((tx) =>
      checkpoint(tx, { ...claim, attempt: 1, startedAt: claim.claimedAt }, { pid: 4242, startedAt: 'then' }),
    );
    await core.admit(closing('T-1', 10));
    await core.change('delete from replicas where id = ?', owner);
    told.answer = async () => expect(killed[0]).toEqual([4242, 'then']);
    const endProcess = async (pid: number, started: string) => void killed.push([pid, started]);
    await bench(core, told, { endProcess });
    await until(isIdle(core, conversation));
    expect(told.calls).toHaveLength(1);
    await until(async () => (await core.rows("select id from jobs where state <> 'done'")).length === 0);
    expect(await core.rows('select process_id from turns')).toEqual([{ process_id: null }]);
  });

  it('TRM-3 an agent that another machine is still ending is waited for', async () => {
    const core = open();
    // One server owns a SQLite file: there is no other machine.
    if (core.database.dialect.name === 'sqlite') return;
    const told = new Told();
    const owner = await core.database.transaction((tx) => enlist(tx, replica('far', { bootId: 'elsewhere' }), 600_000));
    const { conversation } = delivered(await core.admit(comment('T-1')));
    const claim = await core.claimOne({ owner });
    await core.database.transaction((tx) =>
      checkpoint(tx, { ...claim, attempt: 1, startedAt: claim.claimedAt }, { pid: 4242, startedAt: 'then' }),
    );
    await core.admit(closing('T-1', 10));
    await bench(core, told);
    await until(async () => (await core.deliveries(conversation))[1]?.failure === 'another replica is still ending the agent');
    expect((await core.deliveries(conversation))[1]).toMatchObject({ attempts: 0, state: 'pending' });
    await core.change('update turns set process_id = null');
    await core.makeDue(conversation);
    await until(isIdle(core, conversation));
    expect(told.calls).toHaveLength(1);
    await core.change('delete from replicas where id = ?', owner);
  });

  it('TRM-8 every conversation about the subject has its own settlement', async () => {
    const routes = [route({ on: ['comment.*'] }), route({ name: 'own', scope: 'automation', on: ['comment.*'] })];
    const core = open(...routes);
    const told = new Told();
    const made = new Bench(core, routes, { provider: { lifecycle: told }, retry: POLICY });
    benches.push(made);
    const ids = (await core.admit(comment('T-1'))).deliveries.map(({ conversation }) => conversation);
    await core.admit(closing('T-1', 10));
    await made.start();
    await until(async () => (await Promise.all(ids.map((id) => isIdle(core, id)()))).every(Boolean));
    expect(told.calls.map(({ conversation: { id } }) => id).sort()).toEqual(ids.toSorted());
  });

  it('TRM-3 what a stopping server leaves unsettled is settled by the next one, without a failure', async () => {
    const core = open();
    const told = new Told();
    told.answer = ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut off'))));
    const first = await bench(core, told, { graceMs: 20 });
    const { conversation } = delivered(await core.admit(closing('T-1', 10)));
    await until(() => told.calls.length === 1);
    await first.stop();
    benches.splice(0);
    expect(await core.deliveries(conversation)).toMatchObject([{ attempts: 0, interruptions: 0, state: 'pending' }]);
    told.answer = async () => undefined;
    await bench(core, told);
    await until(isIdle(core, conversation));
    expect(told.calls).toHaveLength(2);
  });
});
