import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { prologueOf } from '../../../src/core/runs/prologue.js';
import { Dispatching } from '../../automations/runs/dispatching.js';
import { comment } from '../builders.js';
import { eachCore, SAID } from '../core.js';

eachCore('what the host says at the beginning of a run', (open) => {
  let runs: Dispatching;

  beforeEach(async () => {
    runs = await Dispatching.over(open());
  });
  afterEach(() => runs.stop());

  const admit = (text: string) => runs.core.admit(comment('T-1', text));
  const prologue = (conversation: string, from: number, to = from) =>
    runs.core.database.transaction((tx) => prologueOf(tx, { conversation, from, to }));

  async function turn(result: string) {
    const run = await runs.begin();
    const claim = await runs.core.claimOne();
    await runs.core.endAll([{ claim, how: 'completed', outcome: 'done', reason: null, turn: { ...SAID, state: 'done', result } }]);
    await runs.desk.watch();
    return run;
  }

  it('AUT-6 the prompt of the automation stands before the message that began the run, and before no other', async () => {
    await runs.automated.make();
    await admit('one');
    await admit('two');
    const { conversation } = await runs.begin();
    expect(await prologue(conversation, 1, 2)).toEqual(['Look at it.']);
    expect(await prologue(conversation, 2)).toEqual([]);
  });

  it('AUT-6 a sandbox that is made anew is told what was said before; an agent of this machine remembers it', async () => {
    await runs.automated.make();
    await admit('what is it?');
    await turn('a bug');
    await admit('and now?');
    const [next] = (await runs.claim()) ?? [];
    if (!next) throw new Error('no run');
    expect(await prologue(next.conversation, 2)).toEqual(['Look at it.']);
    await runs.sandbox(next.id);
    const [seed, prompt] = await prologue(next.conversation, 2);
    expect(seed).toMatch(/ada: .*what is it\?\nYou: a bug/s);
    expect(seed).not.toContain('and now?');
    expect(prompt).toBe('Look at it.');
  });

  it('AUT-1 agents of another generation are told what those before them were; the oldest is left out, and so is what a reset has cleared', async () => {
    const id = await runs.automated.make();
    for (let i = 0; i < 12; i++) {
      await admit(`question ${i} ${'x'.repeat(3000)}`);
      await turn(`answer ${i}`);
    }
    await runs.automated.change(id, { runtime: 'box' }, 2);
    await admit('new');
    const [next] = (await runs.claim()) ?? [];
    const [seed] = await prologue(next?.conversation ?? '', 1);
    expect(seed?.length).toBeLessThan(25_000);
    expect(seed).toContain('answer 11');
    expect(seed).not.toContain('answer 3');
    await runs.core.change('update conversations set cleared_to = 12 where id <> ?', next?.conversation ?? '');
    expect(await prologue(next?.conversation ?? '', 1)).toEqual(['Look at it.']);
  });
});
