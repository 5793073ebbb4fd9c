import { afterEach, expect, it } from '@jest/globals';
import { Scheduler } from '../../../src/automations/schedule/scheduler.js';
import { clock } from '../../../src/database/tx.js';
import { Automated } from '../../core/admission/automated.js';
import { type Core, eachCore } from '../../core/core.js';
import { until } from '../../worker/harness.js';

const MINUTE_MS = 60_000;
const cron = (change: Readonly<Record<string, unknown>> = {}) => [{ type: 'cron', schedule: '* * * * *', timezone: 'UTC', ...change }];

eachCore('the scheduler', (open) => {
  const opened: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close();
  });

  async function started(core: Core = open()) {
    const automated = await Automated.over(core);
    const scheduler = new Scheduler(automated.core.database, automated.core.admissions, core.signals, (error) => {
      throw error;
    });
    opened.push(() => automated.stop());
    return { automated, scheduler, core };
  }
  const nextOf = async (core: Core, id: string) =>
    (await core.rows<{ next_fire_at: number }>('select next_fire_at from schedules where automation = ?', id)).map(
      (row) => row.next_fire_at,
    );
  const now = (core: Core) => core.database.transaction((tx) => clock(tx));
  /** As if the time had passed: the schedules were due so long ago. */
  const pass = (core: Core, ms: number) =>
    core.database.transaction((tx) => tx.run('update schedules set next_fire_at = next_fire_at - ?', [ms]));
  const lastMinute = async (core: Core) => Math.floor((await now(core)) / MINUTE_MS) * MINUTE_MS;

  it('AUT-8 begins with the first slot after an automation is switched on, and forgets it when it is switched off', async () => {
    const { automated, scheduler, core } = await started();
    const id = await automated.make({ triggers: cron() });
    const before = await now(core);
    await scheduler.refresh();
    const [next = 0] = await nextOf(core, id);
    expect(next - before).toBeGreaterThan(0);
    expect(next - before).toBeLessThanOrEqual(MINUTE_MS + 1000);
    expect(await scheduler.fire()).toBe(0);
    await scheduler.refresh();
    expect(await nextOf(core, id)).toEqual([next]);
    await automated.switchOffElsewhere(id);
    await scheduler.refresh();
    expect(await nextOf(core, id)).toEqual([]);
  });

  it('AUT-8 starts a slot that has come once, and waits for the next one', async () => {
    const { automated, scheduler, core } = await started();
    const id = await automated.make({ triggers: cron() });
    await scheduler.refresh();
    await pass(core, MINUTE_MS);
    const slot = await lastMinute(core);
    expect(await scheduler.fire()).toBe(1);
    expect(await scheduler.fire()).toBe(0);
    expect((await automated.runs()).map((run) => [run.automation, run.cause, run.slot, run.state])).toEqual([[id, 'cron', slot, 'queued']]);
    expect((await nextOf(core, id))[0]).toBeGreaterThan(slot);
  });

  it('AUT-8 two replicas start each slot once', async () => {
    const a = await started();
    const { core, close } = await a.core.another();
    opened.push(close);
    const b = await started(core);
    for (let i = 0; i < 20; i++) await a.automated.make({ triggers: cron() });
    await Promise.all([a.scheduler.refresh(), b.scheduler.refresh()]);
    await pass(a.core, MINUTE_MS);
    await Promise.all([a.scheduler.fire(), b.scheduler.fire()]);
    const runs = await a.automated.runs();
    expect(runs).toHaveLength(20);
    expect(new Set(runs.map((run) => run.automation)).size).toBe(20);
  });

  it('AUT-8 a crash between the start of a slot and its record starts it no second time', async () => {
    const { automated, scheduler, core } = await started();
    const id = await automated.make({ triggers: cron() });
    await scheduler.refresh();
    await pass(core, MINUTE_MS);
    const [due = 0] = await nextOf(core, id);
    await scheduler.fire();
    await core.database.transaction((tx) => tx.run('update schedules set next_fire_at = ?', [due]));
    expect(await scheduler.fire()).toBe(1);
    expect(await automated.runs()).toHaveLength(1);
  });

  it('AUT-8 what was missed while no server ran is made up for as the trigger says', async () => {
    const { automated, scheduler, core } = await started();
    const ids = await Promise.all(
      ['skip', 'one', 'all'].map((catchUp) => automated.make({ triggers: cron({ schedule: '0 * * * *', catch_up: catchUp }) })),
    );
    await scheduler.refresh();
    await pass(core, 3 * 60 * MINUTE_MS);
    const isFullHour = (await now(core)) % (60 * MINUTE_MS) < 2 * MINUTE_MS;
    await scheduler.fire();
    const runs = await automated.runs();
    const counts = ids.map((id) => runs.filter((run) => run.automation === id).length);
    expect(counts.slice(isFullHour ? 1 : 0)).toEqual([0, 1, 3].slice(isFullHour ? 1 : 0));
  });

  it('a changed schedule waits for its own next slot; the others stay where they were', async () => {
    const { automated, scheduler, core } = await started();
    const [changed, other] = [await automated.make({ triggers: cron() }), await automated.make({ triggers: cron() })];
    await scheduler.refresh();
    await pass(core, MINUTE_MS);
    const [kept] = await nextOf(core, other);
    await automated.change(changed, { triggers: cron({ schedule: '0 0 1 1 *' }) });
    await scheduler.refresh();
    const [next = 0] = await nextOf(core, changed);
    expect(new Date(next).toISOString().slice(4)).toBe('-01-01T00:00:00.000Z');
    expect(await nextOf(core, other)).toEqual([kept]);
  });

  it('AUT-8 a thousand that are due in one minute are all started within it', async () => {
    const { automated, scheduler, core } = await started();
    await Promise.all(Array.from({ length: 1000 }, () => automated.make({ triggers: cron() })));
    await scheduler.refresh();
    await pass(core, MINUTE_MS);
    const slot = await lastMinute(core);
    const begun = performance.now();
    while ((await scheduler.fire()) > 0);
    expect(performance.now() - begun).toBeLessThan(MINUTE_MS);
    const runs = await automated.runs();
    expect(runs.map((run) => run.slot)).toEqual(Array.from({ length: 1000 }, () => slot));
    expect(new Set(runs.map((run) => run.automation)).size).toBe(1000);
  });

  it('hears of automations by itself, and of slots that have come', async () => {
    const { automated, scheduler, core } = await started();
    scheduler.start();
    opened.push(() => scheduler.stop());
    const id = await automated.make({ triggers: cron() });
    await until(async () => (await nextOf(core, id)).length === 1);
    await pass(core, MINUTE_MS);
    core.signals.emit('automations');
    await until(async () => (await automated.runs()).length === 1);
  });
});
