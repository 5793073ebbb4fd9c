import { beforeEach, expect, it } from '@jest/globals';
import { recover } from '../../../src/core/recovery/recover.js';
import { closing, comment, event, opened, prompt, route } from '../builders.js';
import { type Core, delivered, eachCore, replica } from '../core.js';

const ORG = 'default';

eachCore('a pause', (open) => {
  let core: Core;
  let conversation: string;

  beforeEach(async () => {
    core = open(route());
    const [answer] = await core.admitAll(comment('T-1', 'one'), comment('T-1', 'two'));
    conversation = answer ? delivered(answer).conversation : '';
  });

  const pause = () => core.operations.pause(ORG, conversation, 'ada');
  const resume = () => core.operations.resume(ORG, conversation, 'ada');

  it('FIF-8 nothing is claimed while it lasts, what arrives waits in its place, and a resume goes on in order', async () => {
    await pause();
    await core.admit(comment('T-1', 'three'));
    expect(await core.claim()).toEqual([]);
    expect(await core.queue(conversation)).toMatchObject({ paused: 1, ready_at: null, parked: null, open: 3 });
    await resume();
    expect(await core.claimOne()).toMatchObject({ from: 1, to: 3 });
    expect(await core.rows('select kind, noted_by from notes order by id')).toEqual([
      { kind: 'pause', noted_by: 'ada' },
      { kind: 'resume', noted_by: 'ada' },
    ]);
  });

  it('FIF-8 a turn that runs ends, and then nothing more is claimed', async () => {
    const told: string[] = [];
    core.signals.on('steered', (ids) => told.push(...ids));
    core.signals.on('fenced', () => told.push('fenced'));
    const claim = await core.claimOne({ coalesce: () => 1 });
    await pause();
    expect(told).toEqual([conversation]);
    expect(await core.finish(claim)).toBe('ended');
    expect(await core.queue(conversation)).toMatchObject({ owner: null, ready_at: null, open: 1 });
    expect(await core.claim()).toEqual([]);
  });

  it('ADM-2 pausing what is paused, and resuming what is not, say what it is now', async () => {
    await expect(resume()).rejects.toMatchObject({ status: 409, message: expect.stringContaining('not paused') });
    await pause();
    await expect(pause()).rejects.toMatchObject({ status: 409, message: expect.stringContaining('paused already') });
    await resume();
    await expect(resume()).rejects.toMatchObject({ status: 409 });
  });

  it('FIF-8 no failure, retry, skip, abandonment or recovery takes up what is paused', async () => {
    const claim = await core.claimOne({ coalesce: () => 1 });
    await pause();
    await core.fail(claim);
    await core.operations.retry(ORG, `${conversation}.1`, 'ada');
    expect(await core.queue(conversation)).toMatchObject({ ready_at: null });
    await core.operations.skip(ORG, `${conversation}.1`, 'ada', null);
    expect(await core.claim()).toEqual([]);
    await resume();
    await core.claimOne();
    await pause();
    await core.operations.abandon(ORG, `${conversation}.2`, 'ada');
    expect(await core.queue(conversation)).toMatchObject({ owner: null, ready_at: null, paused: 1 });
  });

  it('FIF-8 the claim of a dead replica goes back and stays paused', async () => {
    const { core: other, close } = await core.another();
    await other.claimOne();
    await pause();
    await core.change('update replicas set lease_until = 0 where id = ?', other.owner);
    await recover(
      core.database,
      { id: core.owner, ...replica('first') },
      { isRunning: async () => false, endProcess: async () => undefined },
    );
    expect(await core.queue(conversation)).toMatchObject({ owner: null, paused: 1, ready_at: null });
    await close();
  });

  it('RST-1 a reset keeps the pause', async () => {
    await pause();
    await core.operations.reset(ORG, conversation, 'ada');
    await core.admit(comment('T-1', 'three'));
    expect(await core.claim()).toEqual([]);
    await resume();
    expect(await core.claimOne()).toMatchObject({ from: 3, to: 3 });
  });

  it('TRM-2 the end of the subject ends the pause: the host still has to clean up', async () => {
    await pause();
    await core.admit(closing('T-1', 10));
    expect(await core.queue(conversation)).toMatchObject({ paused: 0 });
    expect(await core.claimOne()).toMatchObject({ head: { kind: 'lifecycle' } });
    await expect(pause()).rejects.toMatchObject({ status: 409, message: expect.stringContaining('terminal') });
    await core.admit(event(prompt('T-1', 'again', { observation: opened(20) })));
    expect(await core.queue(conversation)).toMatchObject({ paused: 0 });
  });

  it('FIF-8 an operator’s end of a paused conversation ends the pause, and it opens unpaused', async () => {
    await pause();
    await core.operations.terminate(ORG, conversation, 'enough', 'ada');
    await core.operations.reopen(ORG, conversation, 'ada');
    await core.admit(comment('T-1', 'three'));
    expect(await core.claimOne()).toMatchObject({ from: 3 });
  });

  it('FIF-8 races with claims: either the claim was first, or there is none', async () => {
    for (let round = 1; round <= 10; round++) {
      const { core: other, close } = await core.another();
      const [claims] = await Promise.all([other.claim(), pause()]);
      const { owner } = await core.queue(conversation);
      expect(owner).toBe(claims[0] ? other.owner : null);
      expect(await core.claim()).toEqual([]);
      for (const claim of claims) await other.finish(claim);
      await resume();
      await core.admit(comment('T-1'));
      await close();
    }
  });
});
