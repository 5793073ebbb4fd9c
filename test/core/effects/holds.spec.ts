import { expect, it } from '@jest/globals';
import { scopeHash } from '../../../src/core/effects/evidence.js';
import { closing, comment, event, opened, prompt, route } from '../builders.js';
import { delivered, eachCore } from '../core.js';
import { callback, concerned, confirm, counts, end, execute, fates, ids, lose, prepare, refuse, SCOPE, stateOf } from './writes.js';

const DAY = 24 * 3_600_000;
const iso = (at: number) => new Date(at).toISOString();

eachCore('events that a write of ours may have caused', (open) => {
  it('EFF-2 B58 are held in their place, block what comes after, and are suppressed without a turn by equal evidence', async () => {
    const core = open(route());
    const write = await execute(core, 'A');
    const held = await core.admit(callback('A', 'c1'));
    expect(held).toMatchObject({ disposition: 'held', reason: null, deliveries: [{ sequence: 1, state: 'held' }] });
    const foreign = await core.admit(comment('A'));
    expect(foreign).toMatchObject({ disposition: 'routed', deliveries: [{ sequence: 2, state: 'pending' }] });
    expect(await core.claim()).toEqual([]);
    const outcome = await confirm(core, write, 'c1');
    expect(outcome).toMatchObject({ isNews: true, effect: { state: 'confirmed' }, suppressed: [{ sequence: 1 }], released: [] });
    expect(concerned(outcome)).toEqual([delivered(held).conversation]);
    expect(await fates(core, held)).toEqual(['suppressed', 'pending']);
    expect((await core.claimOne()).entries.map(({ sequence }) => sequence)).toEqual([2]);
    expect(await core.count('effect_candidates')).toBe(0);
  });

  it('EFF-2 EFF-3 are released in their place by a mismatch, whoever acted, and go in order', async () => {
    const core = open(route());
    const before = await core.admit(comment('A'));
    const write = await execute(core, 'A');
    const held = await core.admit(callback('A', 'of a person with our account'));
    await core.admit(comment('A'));
    expect((await core.claimOne()).entries.map(({ sequence }) => sequence)).toEqual([1]);
    expect(counts(await confirm(core, write, 'c1'))).toEqual({ suppressed: 0, released: 1 });
    expect(await fates(core, held)).toEqual(['pending', 'pending', 'pending']);
    expect(delivered(before).conversation).toBe(delivered(held).conversation);
  });

  it.each(['refuse', 'lose and disprove'])('EFF-4 are released when the write did not happen: %s', async (how) => {
    const core = open(route());
    const write = await execute(core, 'A');
    const held = await core.admit(callback('A', 'c1'));
    if (how === 'refuse') expect(counts(await refuse(core, write))).toEqual({ suppressed: 0, released: 1 });
    else {
      expect(await lose(core, write)).toMatchObject({ isNews: true, suppressed: [], released: [] });
      expect(await fates(core, held)).toEqual(['held']);
      expect((await core.admit(callback('A', 'c2'))).disposition).toBe('held');
      expect(counts(await refuse(core, write))).toEqual({ suppressed: 0, released: 2 });
    }
    expect(await stateOf(core, write)).toBe(how === 'refuse' ? 'failed' : 'reconciled_absent');
    expect(await fates(core, held)).not.toContain('held');
  });

  it('EFF-2 an echo that is confirmed already gets a decision and no delivery, from every source and route, for as long as it is kept', async () => {
    const core = open(route(), route({ name: 'audit', scope: 'automation' }), route({ name: 'other', source: 'second' }));
    const write = await execute(core, 'A');
    await confirm(core, write, 'c1');
    for (const source of ['tracker', 'second'])
      expect(await core.admit({ ...callback('A', 'c1'), source })).toMatchObject({
        disposition: 'suppressed',
        reason: 'own_effect',
        deliveries: [],
        matched: source === 'tracker' ? 2 : 1,
      });
    expect(await core.count('conversations')).toBe(0);
    expect((await core.admit(callback('A', 'c2'))).disposition).toBe('routed');
  });

  it('EFF-2 all conversations and sources of one write wait for it and get its verdict', async () => {
    const core = open(route(), route({ name: 'audit', scope: 'automation' }), route({ name: 'other', source: 'second' }));
    const write = await execute(core, 'A');
    const first = await core.admit(callback('A', 'c1'));
    await core.admit({ ...callback('A', 'c1'), source: 'second' });
    await core.admit(callback('A', 'c2'));
    expect(first.deliveries).toHaveLength(2);
    expect(await core.rows('select state from deliveries')).toHaveLength(5);
    expect(counts(await confirm(core, write, 'c1'))).toEqual({ suppressed: 3, released: 2 });
  });

  it('EFF-2 with several candidates the last one that did not cause it releases it', async () => {
    const core = open(route());
    const [one, two, three] = [await execute(core, 'A'), await execute(core, 'A'), await execute(core, 'A')];
    const held = await core.admit(callback('A', 'c9'));
    expect(await core.count('effect_candidates')).toBe(3);
    expect(counts(await confirm(core, one, 'c1'))).toEqual({ suppressed: 0, released: 0 });
    expect(counts(await refuse(core, two))).toEqual({ suppressed: 0, released: 0 });
    expect(await fates(core, held)).toEqual(['held']);
    expect(counts(await confirm(core, three, 'c3'))).toEqual({ suppressed: 0, released: 1 });
    const decisions = await core.rows('select number, disposition, reason, decided_by from decisions order by number');
    expect(decisions).toEqual([
      { number: 0, disposition: 'held', reason: null, decided_by: 'accept' },
      { number: 1, disposition: 'routed', reason: 'other_effect', decided_by: 'host' },
    ]);
  });

  it('EFF-2 a write that the provider only placed by its answer holds events of all subjects, and suppresses its own', async () => {
    const core = open(route());
    const write = await execute(core, 'A', { subject: null });
    await core.admit(callback('A', 'c1'));
    await core.admit(callback('B', 'c2'));
    const outcome = await end(core, write, {
      is: 'present',
      evidence: { ids: ids('c1', 'A'), subject: { namespace: 'tracker:acme', key: 'A' } },
    });
    expect(counts(outcome)).toEqual({ suppressed: 1, released: 1 });
    expect(outcome.effect).toMatchObject({ namespace: 'tracker:acme', key: 'A' });
  });

  it('EFF-2 EFF-7 an id of ours confirms the write at once and is suppressed; what shows another one, or none, is never held', async () => {
    const core = open(route());
    const write = await execute(core, 'A', { marker: 'm1' });
    const unmarked = await core.admit(callback('A', 'c3'));
    expect(unmarked.disposition).toBe('held');
    expect((await core.admit(callback('A', 'c2', { marker: 'm2' }))).disposition).toBe('routed');
    expect((await core.admit(callback('A', 'c2', { marker: null }))).disposition).toBe('routed');
    expect(await core.admit(callback('A', 'c1', { marker: 'm1' }))).toMatchObject({
      disposition: 'suppressed',
      reason: 'own_effect',
      deliveries: [],
    });
    expect(await stateOf(core, write)).toBe('confirmed');
    expect(await fates(core, unmarked)).toEqual(['pending', 'pending', 'pending']);
    expect(await confirm(core, write, 'c1')).toMatchObject({ isNews: false, effect: { state: 'confirmed' } });
    expect((await core.admit(callback('A', 'edited since', { marker: 'm1' }))).disposition).toBe('suppressed');
  });

  it('EFF-2 what proves a write decides the others of its group, too', async () => {
    const core = open(route());
    const write = await execute(core, 'A', { marker: 'm1' });
    const answers = await Promise.all([
      core.admit(callback('A', 'c2')),
      core.admit(callback('A', 'c1', { marker: 'm1' })),
      core.admit(comment('B')),
    ]);
    expect(answers.map(({ disposition }) => disposition)).toEqual(['routed', 'suppressed', 'routed']);
    expect(await stateOf(core, write)).toBe('confirmed');
  });

  it('EFF-2 only what happened within the window around the attempt is held', async () => {
    const core = open(route());
    await execute(core, 'A');
    const at = async (offset: number) =>
      (await core.admit(callback('A', `at ${offset}`, {}, { occurredAt: iso(Date.now() + offset) }))).disposition;
    expect(await at(-6 * 60_000)).toBe('routed');
    expect(await at(-4 * 60_000)).toBe('held');
    expect(await at(DAY - 60_000)).toBe('held');
    expect(await at(DAY + 60_000)).toBe('routed');
  });

  it('EFF-1 nothing is held for what was not begun, for another account, action, subject or organisation', async () => {
    const core = open(route(), route({ org: 'other', name: 'elsewhere' }));
    await prepare(core, 'A');
    expect((await core.admit(callback('A', 'c1'))).disposition).toBe('routed');
    await execute(core, 'B');
    expect((await core.admit(callback('A', 'c1'))).disposition).toBe('routed');
    expect((await core.admit(callback('B', 'c1', { account: 'other' }))).disposition).toBe('routed');
    expect((await core.admit(callback('B', 'c1', { action: 'update' }))).disposition).toBe('routed');
    expect((await core.admit({ ...callback('B', 'c1'), org: 'other' })).disposition).toBe('routed');
    expect((await core.admit({ ...callback('B', 'c1'), provider: 'another' })).disposition).toBe('routed');
    expect(scopeHash(SCOPE).equals(scopeHash({ ...SCOPE, action: 'update' }))).toBe(false);
  });

  it('TRM-7 the end of a subject is neither held nor suppressed, and what is held is retired with the rest for good', async () => {
    const core = open(route());
    const write = await execute(core, 'A');
    const held = await core.admit(callback('A', 'c1'));
    const end = closing('A', 5);
    const { evidence } = callback('A', 'c9').parsed;
    expect((await core.admit({ ...end, parsed: { ...end.parsed, evidence: evidence! } })).disposition).toBe('lifecycle');
    expect(await fates(core, held)).toEqual(['retired', 'pending']);
    expect(counts(await confirm(core, write, 'c1'))).toEqual({ suppressed: 0, released: 0 });
    expect(await fates(core, held)).toEqual(['retired', 'pending']);
    const again = closing('A', 6);
    const confirmed = callback('A', 'c1').parsed.evidence!;
    expect((await core.admit({ ...again, parsed: { ...again.parsed, evidence: confirmed } })).disposition).toBe('lifecycle');
  });

  it('EFF-2 a reopening that we caused opens the conversation and wakes nobody', async () => {
    const core = open(route());
    const closed = await core.admit(comment('A'));
    await core.admit(closing('A', 5));
    const write = await execute(core, 'A');
    await confirm(core, write, 'c1');
    const { evidence } = callback('A', 'c1').parsed;
    const answer = await core.admit(event(prompt('A', 'reopened', { observation: opened(9), evidence: evidence! })));
    expect(answer).toMatchObject({ disposition: 'suppressed', deliveries: [] });
    expect((await core.conversation(delivered(closed).conversation)).state).toBe('open');
  });

  it('EFF-2 a silent message is not woken by what is held behind it', async () => {
    const core = open(route({ name: 'silent', wake: false, on: ['note.*'] }), route({ name: 'loud', on: ['comment.*'] }));
    const silent = await core.admit(event(prompt('A', 'by the way'), { eventKey: 'note.created' }));
    const write = await execute(core, 'A');
    await core.admit(callback('A', 'c1'));
    expect(await core.claim()).toEqual([]);
    expect((await core.queue(delivered(silent).conversation)).parked).toBe('held');
    await confirm(core, write, 'c1');
    expect(await core.claim()).toEqual([]);
    await core.admit(comment('A'));
    expect((await core.claimOne()).entries.map(({ sequence }) => sequence)).toEqual([1, 3]);
  });
});

eachCore('deciding again about what a write of ours may have caused', (open) => {
  it('EFF-2 a repeated delivery gets the stored answer, a replay the final verdict, a forced one is not asked', async () => {
    const core = open(route());
    const write = await execute(core, 'A');
    const own = callback('A', 'c1');
    const first = await core.admit(own);
    expect(await core.admit(own)).toMatchObject({ duplicate: true, disposition: 'held' });
    await confirm(core, write, 'c1');
    const replay = (force: boolean) =>
      core.admissions.replay({ org: 'default', receipt: Number(first.receipt), by: 'ada', routes: null, force });
    await core.change('delete from effects');
    expect(await replay(false)).toMatchObject({ disposition: 'suppressed', deliveries: [] });
    expect(await replay(true)).toMatchObject({ disposition: 'routed', deliveries: [{ sequence: 2 }] });
  });

  it('EFF-2 what was released stays so, for a route that comes later too', async () => {
    const core = open(route());
    const write = await execute(core, 'A');
    const first = await core.admit(callback('A', 'c1'));
    await refuse(core, write);
    await execute(core, 'A');
    const later = core.with(route(), route({ name: 'late', scope: 'automation' }));
    const replayed = await later.admissions.replay({
      org: 'default',
      receipt: Number(first.receipt),
      by: 'ada',
      routes: null,
      force: false,
    });
    expect(replayed).toMatchObject({ disposition: 'routed', deliveries: [{ route: 'late', state: 'pending' }] });
  });
});
