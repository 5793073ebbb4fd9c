import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Claim } from '../../../src/core/deliveries/claim.js';
import { Dispatching } from '../../automations/runs/dispatching.js';
import { comment } from '../builders.js';
import { eachCore, SAID } from '../core.js';

eachCore('a conversation that no agent server knows any more', (open) => {
  let runs: Dispatching;

  beforeEach(async () => {
    runs = await Dispatching.over(open());
  });
  afterEach(() => runs.stop());

  const admit = (...texts: string[]) => runs.core.admitAll(...texts.map((text) => comment('T-1', text)));
  const lose = (claim: Claim) =>
    runs.core.endAll([{ claim, how: 'gone', failure: 'the sandbox is gone', turn: { ...SAID, state: 'interrupted', error: 'gone' } }]);

  /** Its run is over, and another message was on its way when its sandbox was found to be gone. */
  async function lost(policy: string): Promise<Claim> {
    await runs.automated.make({ on_sandbox_gone: policy });
    await admit('one');
    const run = await runs.begin();
    await runs.core.finish(await runs.core.claimOne());
    await runs.desk.watch();
    await runs.core.change("update runs set state = 'queued', ended_at = null, released_at = null where id = ?", run.id);
    await admit('two', 'three');
    await runs.core.change("update runs set state = 'completed', ended_at = 1, released_at = 1 where id = ?", run.id);
    const claim = await runs.core.claimOne();
    await lose(claim);
    return claim;
  }

  it('AUT-5 restart: another run opens it anew, and its messages stay where they are', async () => {
    const claim = await lost('restart');
    const queue = await runs.core.queue(claim.conversation);
    expect(queue).toMatchObject({ parked: 'starting', open: 2, owner: null, ready_at: null });
    const again = await runs.begin();
    expect(again).toMatchObject({ cause: 'restart', sequence: 2, conversation: claim.conversation, subject: 'tracker/T-1' });
    expect(await runs.core.claimOne()).toMatchObject({ from: 2, to: 3, head: { attempts: 0, interruptions: 0 } });
  });

  it('AUT-5 queue: its messages wait for a person, who may have them tried again', async () => {
    const claim = await lost('queue');
    expect(await runs.core.queue(claim.conversation)).toMatchObject({ parked: 'stalled', open: 2 });
    expect(await runs.states()).toEqual(['completed']);
    await runs.core.operations.retry('default', `${claim.conversation}.2`, 'ada');
    expect(await runs.core.claimOne()).toMatchObject({ from: 2 });
  });

  it('AUT-5 drop: they are dead, and that is told', async () => {
    const claim = await lost('drop');
    expect(await runs.core.outcomes(claim.conversation)).toEqual(['prompt done', 'prompt dead', 'prompt dead']);
    expect(await runs.core.rows("select reason from notes where kind = 'alert'")).toEqual([{ reason: 'dropped: the sandbox is gone' }]);
    expect(await runs.core.claim()).toEqual([]);
  });

  it('AUT-5 a run that is under way when its sandbox goes fails, and another one takes its messages over', async () => {
    await runs.automated.make();
    await admit('one');
    const run = await runs.begin();
    await lose(await runs.core.claimOne());
    expect(await runs.read(run.id)).toMatchObject({ state: 'failed', error: 'sandbox_gone' });
    const again = await runs.begin();
    expect(again).toMatchObject({ cause: 'restart', sequence: 1 });
    expect(await runs.core.outcomes(run.conversation)).toEqual(['prompt open']);
    await runs.core.finish(await runs.core.claimOne());
    expect(await runs.desk.watch()).toBe(1);
    expect(await runs.states()).toEqual(['failed', 'completed']);
  });
});
