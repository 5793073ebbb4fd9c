import { beforeEach, expect, it } from '@jest/globals';
import { checkpoint } from '../../src/core/turns/turns.js';
import { closing, comment, event, opened, prompt, route } from './builders.js';
import { type Core, delivered, eachCore, POLICY } from './core.js';

const ORG = 'default';

eachCore('what operators do', (open) => {
  let core: Core;
  let conversation: string;
  let told: string[];

  beforeEach(async () => {
    core = open(route());
    const answers = await core.admitAll(comment('T-1', 'one'), comment('T-1', 'two'), comment('T-1', 'three'));
    conversation = answers[0] ? delivered(answers[0]).conversation : '';
    told = [];
    core.signals.on('fenced', (fenced) => told.push(`fenced ${fenced.length}`));
    core.signals.on('ready', () => told.push('ready'));
  });

  const stall = async () => {
    for (let attempt = 1; attempt <= POLICY.maxAttempts; attempt++) {
      await core.makeDue(conversation);
      await core.fail(await core.claimOne({ coalesce: () => 1 }));
    }
  };
  const delivery = (sequence: number) => `${conversation}.${sequence}`;
  const notes = () => core.rows('select kind, noted_by, sequence from notes order by id');

  it('FIF-5 B47 retry makes a stalled head due at once and counts its failures anew', async () => {
    await stall();
    await core.operations.retry(ORG, delivery(1), 'ada');
    expect((await core.deliveries(conversation))[0]).toMatchObject({ attempts: 0, due_at: null });
    expect(await core.claimOne()).toMatchObject({ from: 1, to: 1 });
    expect(await notes()).toEqual([{ kind: 'retry', noted_by: 'ada', sequence: 1 }]);
    expect(told).toEqual(['ready']);
  });

  it('FIF-5 retry hurries a head that waits for its next attempt', async () => {
    await core.fail(await core.claimOne());
    await core.operations.retry(ORG, delivery(1), 'ada');
    expect(await core.claimOne()).toMatchObject({ from: 1, to: 1 });
  });

  it('ADM-2 retry is refused for what waits behind, is claimed, or is completed', async () => {
    await expect(core.operations.retry(ORG, delivery(2), 'ada')).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('behind'),
    });
    await core.finish(await core.claimOne({ coalesce: () => 1 }));
    await expect(core.operations.retry(ORG, delivery(1), 'ada')).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('completed (done)'),
    });
    await core.claimOne();
    await expect(core.operations.retry(ORG, delivery(2), 'ada')).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('claimed'),
    });
  });

  it('FIF-1 skip completes a stalled head, and those behind it move up', async () => {
    await stall();
    await core.operations.skip(ORG, delivery(1), 'ada', 'spam');
    expect((await core.deliveries(conversation))[0]).toMatchObject({ outcome: 'skipped', reason: 'spam' });
    expect(await core.claimOne()).toMatchObject({ from: 2, to: 3 });
  });

  it('FIF-6 after a skip what failed together coalesces again', async () => {
    await core.fail(await core.claimOne());
    await core.operations.skip(ORG, delivery(1), 'ada', null);
    const claim = await core.claimOne();
    expect(claim.entries.map(({ sequence }) => sequence)).toEqual([2, 3]);
  });

  it('FIF-5 skipping what waits behind a stalled head does not try the head again', async () => {
    await stall();
    await core.operations.skip(ORG, delivery(2), 'ada', null);
    expect(await core.queue(conversation)).toMatchObject({ parked: 'stalled', open: 2 });
    expect(await core.claim()).toEqual([]);
    await core.operations.skip(ORG, delivery(1), 'ada', null);
    expect(await core.claimOne()).toMatchObject({ from: 3, to: 3 });
  });

  it('FIF-1 what waits behind a running turn may be skipped, what runs may not', async () => {
    const claim = await core.claimOne({ coalesce: () => 1 });
    await core.operations.skip(ORG, delivery(3), 'ada', null);
    await expect(core.operations.skip(ORG, delivery(1), 'ada', null)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('claimed'),
    });
    expect(await core.finish(claim)).toBe('ended');
    expect(await core.claimOne()).toMatchObject({ from: 2, to: 2 });
    await expect(core.operations.skip(ORG, delivery(3), 'ada', null)).rejects.toMatchObject({ status: 409 });
  });

  it('TRN-4 abandon ends the turn, and its deliveries wait again under a higher token', async () => {
    const claim = await core.claimOne();
    await core.database.transaction((tx) => checkpoint(tx, { ...claim, attempt: 1, startedAt: claim.claimedAt }, null));
    await core.operations.abandon(ORG, delivery(2), 'ada');
    expect(told).toEqual(['fenced 1', 'ready']);
    expect(await core.finish(claim)).toBe('stale');
    expect(await core.rows('select state, error from turns')).toEqual([{ state: 'abandoned', error: 'abandoned by ada' }]);
    expect(await core.claimOne()).toMatchObject({ from: 1, to: 3, token: 3, head: { attempts: 0, interruptions: 0 } });
    await expect(core.operations.abandon(ORG, `${conversation}.9`, 'ada')).rejects.toMatchObject({ status: 404 });
  });

  it('TRN-4 abandon is refused where no turn works on it', async () => {
    await expect(core.operations.abandon(ORG, delivery(1), 'ada')).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('pending'),
    });
  });

  it('FIF-1 stop ends the running turn, completes what it worked on as interrupted, and lets the rest go on', async () => {
    const claim = await core.claimOne({ coalesce: () => 2 });
    await core.operations.stop(ORG, conversation, 'ada');
    expect(await core.outcomes(conversation)).toEqual(['prompt interrupted', 'prompt interrupted', 'prompt open']);
    expect(await core.finish(claim)).toBe('stale');
    expect(told).toEqual(['fenced 1', 'ready']);
    expect(await core.claimOne()).toMatchObject({ from: 3, to: 3 });
    await core.operations.stop(ORG, conversation, 'ada');
    await expect(core.operations.stop(ORG, conversation, 'ada')).rejects.toMatchObject({ status: 409 });
  });

  it('TRM-1 an operator ends a conversation; it holds until a newer revision of the provider', async () => {
    await core.admit(comment('T-1', 'x', { observation: opened(10, { transition: false }) }));
    const claim = await core.claimOne();
    await core.operations.terminate(ORG, conversation, 'no longer wanted', 'ada');
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal', reason: 'no longer wanted' });
    expect(await core.finish(claim)).toBe('stale');
    const reopened = (second: number) => core.admit(event(prompt('T-1', 're', { observation: opened(second) })));
    expect(await reopened(10)).toMatchObject({ disposition: 'ignored', reason: 'terminal' });
    expect(await reopened(11)).toMatchObject({ disposition: 'routed' });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'open' });
  });

  it('TRM-1 an operator opens a conversation; a repeated end of the same revision does not close it, a newer one does', async () => {
    await core.admit(closing('T-1', 10));
    await core.operations.reopen(ORG, conversation, 'ada');
    expect(await core.admit(closing('T-1', 10))).toMatchObject({ disposition: 'recorded' });
    expect(await core.admit(comment('T-1'))).toMatchObject({ disposition: 'routed' });
    expect(await core.admit(closing('T-1', 11))).toMatchObject({ disposition: 'lifecycle' });
    expect(await core.conversation(conversation)).toMatchObject({ state: 'terminal' });
  });

  it('TRM-1 ending what has ended and opening what is open are refused', async () => {
    await expect(core.operations.reopen(ORG, conversation, 'ada')).rejects.toMatchObject({ status: 409 });
    await core.operations.terminate(ORG, conversation, 'done', 'ada');
    await expect(core.operations.terminate(ORG, conversation, 'done', 'ada')).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('done'),
    });
  });

  it('IDN-7 of another organisation there is nothing', async () => {
    const { operations } = core;
    const calls = [
      operations.retry('acme', delivery(1), 'x'),
      operations.skip('acme', delivery(1), 'x', null),
      operations.abandon('acme', delivery(1), 'x'),
      operations.stop('acme', conversation, 'x'),
      operations.terminate('acme', conversation, 'r', 'x'),
      operations.reopen('acme', conversation, 'x'),
      operations.retry(ORG, 'not-an-id', 'x'),
    ];
    for (const result of await Promise.allSettled(calls)) expect(result).toMatchObject({ status: 'rejected', reason: { status: 404 } });
    expect(await core.count('notes')).toBe(0);
  });
});
