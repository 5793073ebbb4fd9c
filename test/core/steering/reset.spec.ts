import { beforeEach, expect, it } from '@jest/globals';
import { saveSession } from '../../../src/core/conversations/conversations.js';
import { type Machine, recover } from '../../../src/core/recovery/recover.js';
import { enlist } from '../../../src/core/replicas/replicas.js';
import { checkpoint, isOurs } from '../../../src/core/turns/turns.js';
import { comment, route } from '../builders.js';
import { type Core, delivered, eachCore, replica } from '../core.js';

const ORG = 'default';

eachCore('a reset', (open) => {
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

  const reset = () => core.operations.reset(ORG, conversation, 'ada');
  const cleared = () => core.rows('select cleared_to, session from conversations');

  it('RST-1 completes what waits and what runs, ends the turn, forgets the session, and draws the boundary', async () => {
    const claim = await core.claimOne({ coalesce: () => 2 });
    const { owner, token } = claim;
    await core.database.transaction((tx) => checkpoint(tx, { ...claim, attempt: 1, startedAt: claim.claimedAt }, null));
    await core.database.transaction((tx) => saveSession(tx, conversation, 's-1'));
    await core.change("update deliveries set state = 'held' where conversation = ? and sequence = 3", conversation);
    await reset();
    expect(await core.outcomes(conversation)).toEqual(['prompt reset', 'prompt reset', 'prompt reset']);
    expect(await core.rows('select state, error from turns')).toEqual([{ state: 'reset', error: 'reset by ada' }]);
    expect(await cleared()).toEqual([{ cleared_to: 3, session: null }]);
    expect(await core.queue(conversation)).toMatchObject({ owner: null, token: token + 1, open: 0, waking: 0, head: 4 });
    expect(told).toEqual(['fenced 1', 'ready']);
    expect(await core.finish(claim)).toBe('stale');
    expect(await core.database.transaction((tx) => isOurs(tx, { conversation, token, owner }))).toBe(false);
    expect(await cleared()).toEqual([{ cleared_to: 3, session: null }]);
  });

  it('RST-2 what arrives afterwards is not touched, and is claimed next', async () => {
    await reset();
    await core.admit(comment('T-1', 'four'));
    expect(await core.claimOne()).toMatchObject({ from: 4, to: 4, head: { attempts: 0 } });
  });

  it('RST-1 ends a stall, and counts costs and loops anew', async () => {
    await core.change("update queues set parked = 'looping', ready_at = null where conversation = ?", conversation);
    await core.change('update conversations set spent_usd = 7 where id = ?', conversation);
    await reset();
    await core.admit(comment('T-1', 'four'));
    expect(await core.queue(conversation)).toMatchObject({ parked: null, open: 1 });
    expect(await core.rows('select spent_usd, loop_floor from conversations')).toEqual([{ spent_usd: 0, loop_floor: 1 }]);
  });

  it('RST-1 is drawn behind nothing in a conversation that is empty, twice if need be, and is on record', async () => {
    await reset();
    await reset();
    expect(await core.rows('select kind, noted_by, sequence from notes order by id')).toEqual([
      { kind: 'reset', noted_by: 'ada', sequence: 3 },
      { kind: 'reset', noted_by: 'ada', sequence: 3 },
    ]);
  });

  it('RST-1 is refused where the conversation has ended, or is another organisation’s', async () => {
    await core.operations.terminate(ORG, conversation, 'done', 'ada');
    await expect(reset()).rejects.toMatchObject({ status: 409, message: expect.stringContaining('terminal (done)') });
    await expect(core.operations.reset('acme', conversation, 'x')).rejects.toMatchObject({ status: 404 });
  });

  it('RST-2 a server that dies between the boundary and the end of its agent: the next start ends the agent', async () => {
    const owner = await core.database.transaction((tx) => enlist(tx, replica('other', { pid: 5000 }), 600_000));
    const claim = await core.claimOne({ owner });
    await core.database.transaction((tx) =>
      checkpoint(tx, { ...claim, attempt: 1, startedAt: claim.claimedAt }, { pid: 99, startedAt: 'noon' }),
    );
    await reset();
    await core.change(`update replicas set lease_until = 0 where id = ?`, owner);
    const ended: number[] = [];
    const machine: Machine = { isRunning: async () => false, endProcess: async (pid) => void ended.push(pid) };
    const self = { id: core.owner, ...replica('first') };
    expect(await recover(core.database, self, machine)).toMatchObject({
      ...{ deadReplicas: 1, endedProcesses: 1 },
      repaired: { claims: 0 },
    });
    expect(ended).toEqual([99]);
    expect(await core.outcomes(conversation)).toEqual(['prompt reset', 'prompt reset', 'prompt reset']);
    expect(await core.rows('select process_id from turns')).toEqual([{ process_id: null }]);
  });

  it('RST-1 races with the end of the turn and with what arrives: every delivery ends once, and later ones stay', async () => {
    for (let round = 1; round <= 10; round++) {
      const claim = await core.claimOne();
      const { core: other, close } = await core.another();
      const [finished, , answer] = await Promise.all([
        core.finish(claim),
        other.operations.reset(ORG, conversation, 'ada'),
        core.admit(comment('T-1')),
      ]);
      const { sequence } = delivered(answer);
      const [row] = await core.rows<{ cleared_to: number }>('select cleared_to from conversations');
      const rows = await core.deliveries(conversation);
      const of = rows.filter((each) => each.sequence >= claim.from && each.sequence <= claim.to).map(({ outcome }) => outcome);
      expect(new Set(of)).toEqual(new Set([finished === 'ended' ? 'done' : 'reset']));
      expect(rows[sequence - 1]?.outcome).toBe(sequence <= (row?.cleared_to ?? 0) ? 'reset' : null);
      await close();
      await core.admit(comment('T-1'));
    }
  });
});
