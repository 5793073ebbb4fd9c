import { afterEach, expect, it } from '@jest/globals';
import { Automated } from '../../core/admission/automated.js';
import { type Core, eachCore } from '../../core/core.js';

const CRON = [{ type: 'cron', schedule: '0 9 * * *' }];

eachCore('dispatching automations', (open) => {
  const opened: Automated[] = [];
  afterEach(() => {
    for (const each of opened.splice(0)) each.stop();
  });
  async function automated(core: Core = open()): Promise<Automated> {
    const made = await Automated.over(core);
    opened.push(made);
    return made;
  }
  const due = (slot: number, trigger = 0) => ({ by: 'schedule', why: { cause: 'cron', trigger, slot } as const });

  it('a slot is dispatched once, by however many replicas, and a start by hand swallows none', async () => {
    const a = await automated();
    const { core, close } = await open().another();
    const b = await automated(core);
    const id = await a.make({ triggers: CRON });
    await a.dispatch(id);
    const all = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? a : b).dispatch(id, due(1_800_000))));
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(all.map(({ run }) => run)).size).toBe(1);
    expect(await a.dispatch(id, due(3_600_000))).toMatchObject({ isNew: true, run: expect.any(String) });
    expect((await a.runs()).map(({ cause, slot, sequence, subject }) => [cause, slot, sequence, subject])).toEqual([
      ['api', null, 1, null],
      ['cron', 1_800_000, 1, null],
      ['cron', 3_600_000, 1, null],
    ]);
    const receipts = await a.core.rows<{ source: string; delivery_id: string; event_key: string }>(
      "select source, delivery_id, event_key from receipts where source = 'schedule' order by id",
    );
    expect(receipts[0]).toEqual({ source: 'schedule', delivery_id: `${id}:0:1800000`, event_key: 'schedule.fired' });
    await close();
  });

  it('a slot of an automation that is off begins nothing and says why; by hand it starts', async () => {
    const a = await automated();
    const id = await a.make({ triggers: CRON }, 'disabled');
    expect(await a.dispatch(id, due(1))).toMatchObject({ isNew: true, run: null, reason: 'automation_disabled' });
    expect(await a.dispatch(id)).toMatchObject({ run: expect.any(String), reason: null });
  });

  it('AUT-1 with skip a slot that comes while a run lives is told of, and not begun', async () => {
    const a = await automated();
    const id = await a.make({ triggers: CRON, concurrency: 'skip' });
    await a.dispatch(id, due(1));
    expect(await a.dispatch(id, due(2))).toMatchObject({ run: null, reason: 'run_in_progress' });
    expect((await a.runs()).map(({ state, slot }) => [state, slot])).toEqual([
      ['queued', 1],
      ['skipped', 2],
    ]);
  });

  it('each dispatch opens a conversation of its own, in the place of the automation', async () => {
    const a = await automated();
    const id = await a.make({ runtime: null, workspace: 'main' });
    await a.dispatch(id, { why: { cause: 'api', key: 'k', inputs: { a: '```' } } });
    await a.dispatch(id);
    const rows = await a.core.rows<{ workspace: string; scope: string; lifecycle: string; route: string }>('select * from conversations');
    expect(rows.map(({ workspace, scope, lifecycle, route }) => [workspace, scope, lifecycle, route])).toEqual(
      Array(2).fill(['main', 'run', 'ignore', `automation:${id}`]),
    );
    const [parsed] = await a.core.rows<{ parsed: string }>('select parsed from receipts order by id');
    expect(JSON.parse(parsed?.parsed ?? '').text).toBe('ada has started this by hand, with:\n\n````json\n{\n  "a": "```"\n}\n````');
  });

  it('RPL-1 a start is decided about again like any event: not twice by itself, and once more where that is asked for', async () => {
    const a = await automated();
    const id = await a.make({ triggers: CRON });
    const byHand = await a.dispatch(id, { why: { cause: 'api', key: 'k', inputs: { a: 1 } } });
    const bySlot = await a.dispatch(id, due(1_800_000));
    for (const { receipt, run } of [byHand, bySlot]) {
      const replay = { org: 'default', receipt: Number(receipt), by: 'ada', routes: null };
      expect(await a.core.admissions.replay({ ...replay, force: false })).toMatchObject({ reason: 'same_conversation', runs_created: [] });
      await a.end(run ?? '');
      const again = await a.core.admissions.replay({ ...replay, force: true });
      expect(again).toMatchObject({ disposition: 'routed', runs_created: [expect.any(String)] });
      await a.end(again.runs_created[0] ?? '');
      const third = await a.core.admissions.replay({ ...replay, receipt: Number(again.receipt), force: true });
      expect(third.deliveries[0]).toMatchObject({ conversation: again.deliveries[0]?.conversation, sequence: 3 });
      await a.end(third.runs_created[0] ?? '');
    }
    const runs = await a.runs();
    expect(runs.map(({ cause, slot, inputs }) => `${cause} ${slot} ${inputs}`).sort()).toEqual(
      [...Array(3).fill('api null {"a":1}'), ...Array(3).fill('cron 1800000 null')].sort(),
    );
    expect(new Set(runs.map(({ conversation }) => conversation)).size).toBe(2);
    await a.core.change('update automations set deleted_at = 1');
    const gone = { org: 'default', receipt: Number(byHand.receipt), by: 'ada', routes: null, force: true };
    expect(await a.core.admissions.replay(gone)).toMatchObject({ disposition: 'ignored', reason: 'automation_disabled' });
  });

  it('refuses what is none, or another organisation’s', async () => {
    const a = await automated();
    const id = await a.make({}, 'enabled', 'acme');
    await expect(a.dispatch(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(a.dispatch('none')).rejects.toMatchObject({ code: 'not_found' });
  });
});
