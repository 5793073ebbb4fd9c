import { afterEach, expect, it } from '@jest/globals';
import { comment } from '../builders.js';
import { type Core, eachCore } from '../core.js';
import { callback, confirm, counts, execute, refuse } from '../effects/writes.js';
import { Automated } from './automated.js';

eachCore('runs of what may be our own doing', (open) => {
  const opened: Automated[] = [];
  afterEach(() => {
    for (const each of opened.splice(0)) each.stop();
  });
  async function automated(core: Core = open()): Promise<Automated> {
    const made = await Automated.over(core);
    opened.push(made);
    return made;
  }

  it('EFF-2 AUT-5 are not begun while the event is held, and never where it was our own', async () => {
    const a = await automated();
    await a.make();
    const write = await execute(a.core, 'A');
    const held = await a.core.admit(callback('A', 'c1'));
    expect(held).toMatchObject({ disposition: 'held', runs_created: [], conversations_continued: [], deliveries: [{ state: 'held' }] });
    expect((await a.core.queue(held.deliveries[0]?.conversation ?? '')).parked).toBe('held');
    await confirm(a.core, write, 'c1');
    expect(await a.runs()).toEqual([]);
    expect(await a.core.claim()).toEqual([]);
    const next = await a.core.admit(comment('A'));
    expect(next).toMatchObject({ disposition: 'routed', runs_created: [expect.any(String)] });
  });

  it('EFF-3 AUT-5 are begun with the event once it is known not to be, and the decision names the run', async () => {
    const a = await automated();
    const id = await a.make();
    const write = await execute(a.core, 'A');
    const held = await a.core.admit(callback('A', 'of a person'));
    const conversation = held.deliveries[0]?.conversation ?? '';
    const outcome = await confirm(a.core, write, 'c1');
    expect(counts(outcome)).toEqual({ suppressed: 0, released: 1 });
    const [run, ...others] = await a.runs();
    expect([others, outcome.begun.map(({ id: begun }) => begun)]).toEqual([[], [run?.id]]);
    expect(run).toMatchObject({
      automation: id,
      conversation,
      sequence: 1,
      subject: 'tracker/A',
      state: 'queued',
      receipt: Number(held.receipt),
    });
    expect((await a.core.queue(conversation)).parked).toBe('starting');
    const [decision] = await a.core.rows<{ detail: string }>(
      'select detail from decisions where receipt = ? order by number desc limit 1',
      Number(held.receipt),
    );
    expect(JSON.parse(decision?.detail ?? '').verdicts).toEqual([
      expect.objectContaining({ disposition: 'routed', reason: 'other_effect', run: run?.id }),
    ]);
    expect(decision?.detail).not.toContain('begins');
    await a.open(run?.id ?? '');
    expect((await a.core.claimOne()).from).toBe(1);
  });

  it('EFF-3 AUT-5 are not begun where a run lives by then: the event is before what began it', async () => {
    const a = await automated();
    await a.make();
    const write = await execute(a.core, 'A');
    const held = await a.core.admit(callback('A', 'of a person'));
    const next = await a.core.admit(comment('A'));
    expect(next.runs_created).toHaveLength(1);
    await refuse(a.core, write);
    expect(await a.runs()).toHaveLength(1);
    await a.open(next.runs_created[0] ?? '');
    expect((await a.core.claimOne()).entries.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(held.deliveries[0]?.sequence).toBe(1);
  });

  it.each(['switched off', 'at work elsewhere'])(
    'EFF-3 a released event goes its way without a run where the automation is %s',
    async (how) => {
      const a = await automated();
      const id = await a.make({ concurrency: 'skip' });
      const write = await execute(a.core, 'A');
      await a.core.admit(callback('A', 'of a person'));
      if (how === 'switched off') await a.switchOffElsewhere(id);
      else await a.core.admit(comment('B'));
      expect((await refuse(a.core, write)).begun).toEqual([]);
      expect((await a.core.claimOne()).from).toBe(1);
    },
  );
});
