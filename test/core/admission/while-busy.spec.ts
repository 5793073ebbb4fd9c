import { expect, it } from '@jest/globals';
import type { ClaimRequest } from '../../../src/core/deliveries/claim-deliveries.js';
import { NO_RULES } from '../../../src/core/limits/rules.js';
import { checkpoint } from '../../../src/core/turns/turns.js';
import { closing, comment, route } from '../builders.js';
import { type Core, delivered, done, eachCore } from '../core.js';

const STEERABLE: Partial<ClaimRequest> = { rules: () => ({ ...NO_RULES, canAppend: true }) };

eachCore('messages while a turn runs', (open) => {
  const told = (core: Core) => {
    const heard: string[] = [];
    for (const name of ['fenced', 'steered'] as const) core.signals.on(name, (ids) => heard.push(`${name} ${ids.length}`));
    return heard;
  };
  const begin = async (core: Core, change: Partial<ClaimRequest> = {}) => {
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    const claim = await core.claimOne(change);
    await core.database.transaction((tx) => checkpoint(tx, { ...claim, attempt: 1, startedAt: claim.claimedAt }, null));
    return { conversation, claim };
  };

  it('FIF-8 enqueue: they wait for the next turn, also where the turn could take them', async () => {
    const core = open(route({ whileBusy: 'enqueue' }));
    const { conversation, claim } = await begin(core, STEERABLE);
    await core.admit(comment('T-1', 'two'));
    expect(await core.queue(conversation)).toMatchObject({ claim_to: 1 });
    await core.finish(claim);
    expect(await core.claimOne()).toMatchObject({ from: 2, to: 2 });
  });

  it('FIF-8 steer: they join the claim whose turn takes them, in order, and complete with it', async () => {
    const core = open(route());
    const heard = told(core);
    const { conversation, claim } = await begin(core, STEERABLE);
    await core.admitAll(comment('T-1', 'two'), comment('T-1', 'three'));
    expect(await core.queue(conversation)).toMatchObject({ claim_to: 3, token: claim.token });
    expect(heard).toEqual(['steered 1', 'steered 1']);
    await core.endAll([done({ ...claim, to: 3 })]);
    expect(await core.outcomes(conversation)).toEqual(['prompt done', 'prompt done', 'prompt done']);
    expect(await core.rows('select from_sequence, to_sequence from turns')).toEqual([{ from_sequence: 1, to_sequence: 3 }]);
  });

  it('FIF-8 steer: what the turn ended without is neither lost nor done: it is next', async () => {
    const core = open(route());
    const { conversation, claim } = await begin(core, STEERABLE);
    await core.admit(comment('T-1', 'two'));
    expect(await core.finish(claim)).toBe('ended');
    expect(await core.outcomes(conversation)).toEqual(['prompt done', 'prompt open']);
    expect(await core.claimOne()).toMatchObject({ from: 2, to: 2 });
  });

  it('FIF-8 steer is enqueue where no turn runs, the turn takes nothing, something waits between, or the trust is another', async () => {
    const core = open(route(), route({ name: 'private', source: 'inside', trust: 'trusted' }));
    const { conversation, claim } = await begin(core);
    await core.admit(comment('T-1', 'two'));
    expect(await core.queue(conversation)).toMatchObject({ claim_to: 1 });
    await core.finish(claim);
    await core.admit({ ...comment('T-1', 'three'), source: 'inside' });
    await core.claimOne(STEERABLE);
    await core.admit(comment('T-1', 'four'));
    expect(await core.queue(conversation)).toMatchObject({ claim_to: 2, open: 3 });
  });

  it('TRN-10 what a machine wrote joins no turn, so that loops can be counted', async () => {
    const core = open(route({ authors: { allowSelf: true, allowBots: true, allow: [] } }));
    const { conversation } = await begin(core, STEERABLE);
    await core.admit(comment('T-1', 'two', { author: { id: '9', name: 'robot', isBot: true } }));
    expect(await core.queue(conversation)).toMatchObject({ claim_to: 1, open: 2 });
  });

  it('FIF-7 what wakes nobody joins a turn that takes it', async () => {
    const core = open(route({ wake: false, whileBusy: 'enqueue' }), route({ name: 'loud', source: 'loud' }));
    const { conversation } = delivered(await core.admit({ ...comment('T-1', 'one'), source: 'loud' }));
    const claim = await core.claimOne(STEERABLE);
    await core.admit(comment('T-1', 'quiet'));
    expect(await core.queue(conversation)).toMatchObject({ claim_to: 2, open: 2, waking: 1 });
    await core.endAll([done({ ...claim, to: 2 })]);
    expect(await core.queue(conversation)).toMatchObject({ open: 0, waking: 0 });
  });

  it('FIF-8 interrupt: the turn ends, what it worked on is done with, and the newcomer is next', async () => {
    const core = open(route({ whileBusy: 'interrupt' }));
    const heard = told(core);
    const { conversation, claim } = await begin(core);
    const answer = await core.admit(comment('T-1', 'stop, rather this'));
    expect(answer).toMatchObject({ disposition: 'routed', deliveries: [{ sequence: 2, state: 'pending' }] });
    expect(heard).toEqual(['fenced 1']);
    expect(await core.outcomes(conversation)).toEqual(['prompt interrupted', 'prompt open']);
    expect(await core.finish(claim)).toBe('stale');
    expect(await core.rows('select state, error from turns')).toEqual([{ state: 'interrupted', error: 'interrupted by a newer message' }]);
    expect(await core.claimOne()).toMatchObject({ from: 2, to: 2, token: claim.token + 2 });
    expect(await core.rows('select kind from notes')).toEqual([{ kind: 'interrupt' }]);
  });

  it('FIF-8 interrupt: several that arrive together interrupt once, and an end of the subject beside them ends all', async () => {
    const core = open(route({ whileBusy: 'interrupt' }));
    const { conversation } = await begin(core);
    await Promise.all([core.admit(comment('T-1', 'a')), core.admit(comment('T-1', 'b')), core.admit(comment('T-1', 'c'))]);
    expect(await core.outcomes(conversation)).toEqual(['prompt interrupted', 'prompt open', 'prompt open', 'prompt open']);
    await core.claimOne();
    await Promise.all([core.admit(comment('T-1', 'd')), core.admit(closing('T-1', 5))]);
    expect((await core.outcomes(conversation)).filter((each) => each === 'prompt open')).toEqual([]);
  });

  it('FIF-8 interrupt leaves what waits, and a claim of no turn, alone', async () => {
    const core = open(route({ whileBusy: 'interrupt' }));
    await core.admitAll(comment('T-1', 'one'), comment('T-1', 'two'));
    const claim = await core.claimOne();
    expect(claim).toMatchObject({ from: 1, to: 2 });
    await core.admit(closing('T-1', 5));
    await core.claimOne();
    expect(await core.admit(comment('T-1', 'late'))).toMatchObject({ disposition: 'ignored', reason: 'terminal' });
  });

  it('FIF-8 reject: refused as busy, on record, and only while a turn runs', async () => {
    const core = open(route({ whileBusy: 'reject' }));
    const { conversation, claim } = await begin(core);
    expect(await core.admit(comment('T-1', 'two'))).toMatchObject({ disposition: 'ignored', reason: 'busy', deliveries: [] });
    expect(await core.rows('select kind, reason from notes')).toEqual([{ kind: 'ignored', reason: 'busy' }]);
    await core.finish(claim);
    expect(await core.admit(comment('T-1', 'three'))).toMatchObject({ disposition: 'routed' });
    expect(await core.outcomes(conversation)).toEqual(['prompt done', 'prompt open']);
  });

  it('FIF-8 collect: the head is due when nothing has arrived for the debounce, and no later than ten of them', async () => {
    const core = open(route({ whileBusy: 'collect', debounceMs: 60_000 }));
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    expect(await core.claim()).toEqual([]);
    const first = await core.queue(conversation);
    expect(first.ready_at).toBe(first.quiet_until);
    await core.admit(comment('T-1', 'two'));
    await core.makeQuiet(conversation);
    expect(await core.claimOne()).toMatchObject({ from: 1, to: 2 });
    expect(await core.queue(conversation)).toMatchObject({ quiet_until: null });
  });

  it('FIF-8 collect: a stream that never stops is served at its limit', async () => {
    const core = open(route({ whileBusy: 'collect', debounceMs: 60_000 }));
    const { conversation } = delivered(await core.admit(comment('T-1', 'one')));
    await core.change('update queues set quiet_limit = 1 where conversation = ?', conversation);
    await core.admit(comment('T-1', 'two'));
    expect(await core.queue(conversation)).toMatchObject({ quiet_until: 1 });
    await core.change('update queues set ready_at = 1 where conversation = ?', conversation);
    expect(await core.claimOne()).toMatchObject({ from: 1, to: 2 });
  });

  it('FIF-8 collect puts off no head of another route, nor one that is tried again', async () => {
    const core = open(route({ whileBusy: 'collect', debounceMs: 60_000 }), route({ name: 'now', source: 'now' }));
    const { conversation } = delivered(await core.admit({ ...comment('T-1', 'one'), source: 'now' }));
    await core.admit(comment('T-1', 'two'));
    expect(await core.claimOne()).toMatchObject({ from: 1, to: 2 });
    await core.operations.stop('default', conversation, 'ada');
    await core.admit(comment('T-1', 'three'));
    await core.makeQuiet(conversation);
    await core.fail(await core.claimOne());
    await core.admit(comment('T-1', 'four'));
    await core.makeDue(conversation);
    expect(await core.claimOne()).toMatchObject({ from: 3 });
  });

  it('FIF-8 steer, interrupt and stop race with the end of the turn: each message is in one turn that succeeded, or waits', async () => {
    const core = open(route());
    const { core: other, close } = await core.another(route({ whileBusy: 'interrupt' }));
    await core.admit(comment('T-1', 'first'));
    for (let round = 1; round <= 15; round++) {
      const claim = await core.claimOne(STEERABLE);
      const upTo = async () => (await core.queue(claim.conversation)).claim_to ?? claim.to;
      const ends = core
        .admit(comment('T-1', `steered ${round}`))
        .then(upTo)
        .then((to) => core.endAll([done({ ...claim, to })]));
      await Promise.all([ends, round % 2 === 0 ? other.admit(comment('T-1', `loud ${round}`)) : core.finish(claim)]);
      await core.admit(comment('T-1', 'next'));
    }
    await close();
  });
});
