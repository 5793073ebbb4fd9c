import { beforeEach, expect, it } from '@jest/globals';
import { backoff } from '../../../src/core/deliveries/end-claims.js';
import { MAX_INTERRUPTIONS } from '../../../src/core/deliveries/queue.js';
import { BEFORE_ALL, unparkConfigured } from '../../../src/core/deliveries/unpark.js';
import { comment, route } from '../builders.js';
import { type Core, delivered, eachCore, POLICY } from '../core.js';

eachCore('claims that end otherwise than well', (open) => {
  let core: Core;
  let conversation: string;

  beforeEach(async () => {
    core = open(route());
    const answers = await core.admitAll(comment('T-1', 'one'), comment('T-1', 'two'), comment('T-1', 'three'));
    conversation = answers[0] ? delivered(answers[0]).conversation : '';
  });

  it('FIF-5 a reported failure is one attempt: all wait again in their places, the head until its time', async () => {
    const claim = await core.claimOne();
    await core.fail(claim);
    const [head, ...others] = await core.deliveries(conversation);
    expect(head).toMatchObject({ state: 'pending', attempts: 1, interruptions: 0, failure: 'it broke' });
    expect(others).toMatchObject([
      { state: 'pending', attempts: 0, due_at: null },
      { state: 'pending', attempts: 0, due_at: null },
    ]);
    expect(await core.queue(conversation)).toMatchObject({ owner: null, open: 3, ready_at: head?.due_at });
    const [clock] = await core.rows<{ now: number }>(`select ${core.database.dialect.now} as now`);
    expect((head?.due_at ?? 0) - (clock?.now ?? 0)).toBeGreaterThan(50_000);
    expect(await core.claim()).toEqual([]);
    expect(await core.rows('select state, error, attempt from turns')).toEqual([{ state: 'failed', error: 'it broke', attempt: 1 }]);
  });

  it('FIF-6 after a failed coalesced attempt the head goes alone', async () => {
    await core.fail(await core.claimOne());
    await core.makeDue(conversation);
    const alone = await core.claimOne();
    expect(alone).toMatchObject({ from: 1, to: 1, token: 2 });
    await core.finish(alone);
    expect(await core.claimOne()).toMatchObject({ from: 2, to: 3 });
  });

  it('FIF-5 more messages do not hurry a head that waits for its next attempt', async () => {
    await core.fail(await core.claimOne());
    await core.admit(comment('T-1', 'four'));
    expect(await core.claim()).toEqual([]);
    await core.admit(comment('T-2'));
    expect(await core.claimOne()).not.toMatchObject({ conversation });
  });

  it('FIF-5 after the last attempt the conversation is stalled, and no later message moves it', async () => {
    for (let attempt = 1; attempt <= POLICY.maxAttempts; attempt++) {
      await core.makeDue(conversation);
      await core.fail(await core.claimOne());
    }
    await core.admit(comment('T-1', 'four'));
    expect(await core.queue(conversation)).toMatchObject({ parked: 'stalled', ready_at: null, open: 4 });
    const [head] = await core.deliveries(conversation);
    expect(head).toMatchObject({ state: 'pending', attempts: 3, due_at: null });
    expect(await core.claim()).toEqual([]);
  });

  it('FIF-5 under onDead skip it completes as dead, and those behind it go on', async () => {
    for (let attempt = 1; attempt <= POLICY.maxAttempts; attempt++) {
      await core.makeDue(conversation);
      await core.fail(await core.claimOne(), 'skip');
    }
    expect(await core.outcomes(conversation)).toEqual(['prompt dead', 'prompt open', 'prompt open']);
    expect((await core.deliveries(conversation))[0]).toMatchObject({ reason: 'it broke' });
    expect(await core.claimOne()).toMatchObject({ from: 2, to: 3 });
  });

  it('FIF-5 what is lost by no fault of the agent is no attempt, and repeats with the same messages', async () => {
    await core.interrupt(await core.claimOne());
    await core.admit(comment('T-1', 'four'));
    await core.makeDue(conversation);
    const again = await core.claimOne();
    expect(again).toMatchObject({ from: 1, to: 3, head: { attempts: 0, interruptions: 1 } });
  });

  it(`FIF-5 after ${MAX_INTERRUPTIONS} interruptions the conversation is stalled all the same`, async () => {
    for (let i = 1; i <= MAX_INTERRUPTIONS; i++) {
      await core.makeDue(conversation);
      await core.interrupt(await core.claimOne());
    }
    expect(await core.queue(conversation)).toMatchObject({ parked: 'stalled', ready_at: null });
    expect((await core.deliveries(conversation))[0]).toMatchObject({ attempts: 0, interruptions: MAX_INTERRUPTIONS });
  });

  it('REC-4 what is not configured any more is parked visibly, and goes on when it is again', async () => {
    const claim = await core.claimOne();
    await core.endAll([{ claim, how: 'unconfigured', failure: 'workspace main is not in the configuration' }]);
    expect(await core.queue(conversation)).toMatchObject({ parked: 'unconfigured', owner: null, ready_at: null });
    expect((await core.deliveries(conversation))[0]).toMatchObject({ failure: 'workspace main is not in the configuration' });
    expect(await core.database.transaction((tx) => unparkConfigured(tx, BEFORE_ALL))).toEqual({ count: 1, last: conversation });
    expect(await core.claimOne()).toMatchObject({ from: 1, to: 3 });
    expect(await core.database.transaction((tx) => unparkConfigured(tx, BEFORE_ALL))).toEqual({ count: 0, last: null });
  });

  it('FIF-9 B34 a poisoned conversation delays no other', async () => {
    await core.fail(await core.claimOne());
    const others = await Promise.all(Array.from({ length: 50 }, (_, i) => core.admit(comment(`O-${i}`))));
    const claims = await core.claim();
    expect(claims.map((claim) => claim.conversation).sort()).toEqual(others.map((answer) => delivered(answer).conversation).sort());
    await Promise.all(claims.map((claim) => core.finish(claim)));
  });

  it('TRN-3 many claims end in one transaction, each on its own terms', async () => {
    await core.admitAll(comment('T-2'), comment('T-3'));
    const [first, second, third] = await core.claim();
    if (!first || !second || !third) throw new Error('three conversations were ready');
    const turn = { session: null, result: null, error: null, detail: null, costUsd: 0 };
    const results = await core.endAll([
      { claim: first, how: 'completed', outcome: 'done', reason: null, turn: { ...turn, state: 'done' } },
      { claim: { ...second, token: 99 }, how: 'completed', outcome: 'done', reason: null, turn: null },
      { claim: third, how: 'failed', failure: 'no', onDead: 'stall', turn: { ...turn, state: 'failed' } },
    ]);
    expect(results).toEqual(['ended', 'stale', 'ended']);
    expect(await core.queue(second.conversation)).toMatchObject({ owner: core.owner, token: second.token });
  });
});

it('FIF-5 backs off exponentially, up to a limit', () => {
  const policy = { maxAttempts: 9, backoff: { firstMs: 100, factor: 3, maxMs: 1000 } };
  expect([1, 2, 3, 4].map((failures) => backoff(policy, failures))).toEqual([100, 300, 900, 1000]);
});
