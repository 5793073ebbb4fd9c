import { beforeEach, expect, it } from '@jest/globals';
import type { Room } from '../../../src/core/deliveries/claim-deliveries.js';
import { comment, event, prompt, route } from '../builders.js';
import { ALL_ROOM, type Core, delivered, eachCore } from '../core.js';
import { callback, execute } from '../effects/writes.js';

/** Room for so many turns of one kind of thing. */
function room(limit: number, of: (workspace: string, org: string) => string): Room {
  const taken = new Map<string, number>();
  return {
    ...ALL_ROOM,
    take: (workspace, org) => {
      const name = of(workspace, org);
      if ((taken.get(name) ?? 0) >= limit) return false;
      taken.set(name, (taken.get(name) ?? 0) + 1);
      return true;
    },
  };
}

eachCore('claiming', (open) => {
  let core: Core;

  beforeEach(() => {
    core = open(route());
  });

  const conversationOf = async (key: string, ...texts: readonly string[]) => {
    const answers = await core.admitAll(...texts.map((text) => comment(key, text)));
    return delivered(answers[0] ?? (await core.admit(comment(key)))).conversation;
  };

  it('FIF-2 a conversation has one claim, which covers its head and what coalesces with it', async () => {
    const conversation = await conversationOf('T-1', 'one', 'two', 'three');
    const claim = await core.claimOne();
    expect(claim).toMatchObject({ conversation, owner: core.owner, token: 1, from: 1, to: 3 });
    expect(claim.entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    await core.admit(comment('T-1', 'four'));
    expect(await core.claim()).toEqual([]);
    await core.finish(claim);
    expect(await core.claimOne()).toMatchObject({ token: 2, from: 4, to: 4 });
  });

  it('FIF-6 more than the cap stay queued and follow in order', async () => {
    const conversation = await conversationOf('T-1', ...Array.from({ length: 25 }, (_, i) => `message ${i}`));
    const bounds: number[][] = [];
    for (let claims = await core.claim(); claims.length > 0; claims = await core.claim()) {
      bounds.push(...claims.map(({ from, to }) => [from, to]));
      for (const claim of claims) await core.finish(claim);
    }
    expect(bounds).toEqual([
      [1, 20],
      [21, 25],
    ]);
    expect(await core.queue(conversation)).toMatchObject({ open: 0, waking: 0, head: 26, ready_at: null });
  });

  it('FIF-6 what is trusted and what is not never enter one turn', async () => {
    const mixed = open(route({ on: ['a'], trust: 'trusted' }), route({ name: 'public', on: ['b'] }));
    await mixed.admitAll(...['a', 'a', 'b', 'a'].map((eventKey) => event(prompt('T-1', 'x'), { eventKey })));
    const trusts: string[] = [];
    for (let claims = await mixed.claim(); claims.length > 0; claims = await mixed.claim())
      for (const claim of claims) {
        trusts.push(`${claim.head.trust} ${claim.from}-${claim.to}`);
        await mixed.finish(claim);
      }
    expect(trusts).toEqual(['trusted 1-2', 'untrusted 3-3', 'trusted 4-4']);
  });

  it('FIF-2 a held head blocks what is behind it and nobody else', async () => {
    await execute(core, 'T-1');
    const [{ conversation = '' } = {}] = (await core.admit(callback('T-1', 'ours, perhaps'))).deliveries;
    await core.admit(comment('T-1', 'two'));
    const other = await conversationOf('T-2', 'free');
    expect(await core.claimOne()).toMatchObject({ conversation: other });
    expect(await core.queue(conversation)).toMatchObject({ parked: 'held', ready_at: null, owner: null });
    await core.admit(comment('T-1', 'three'));
    expect(await core.claim()).toEqual([]);
  });

  it('FIF-7 messages that wake nobody ride along with the first that wakes', async () => {
    const two = open(route({ on: ['quiet'], wake: false }), route({ name: 'loud', on: ['loud'] }));
    const say = (eventKey: string) => two.admit(event(prompt('T-1', eventKey), { eventKey }));
    await say('quiet');
    await say('quiet');
    expect(await two.claim()).toEqual([]);
    await say('loud');
    await say('quiet');
    expect(await two.claimOne({ coalesce: () => 1 })).toMatchObject({ from: 1, to: 4 });
  });

  it('FIF-7 a message that wakes nobody is due by itself after wakeAfter', async () => {
    const quiet = open(route({ wake: false, wakeAfterMs: 60_000 }));
    const { conversation } = delivered(await quiet.admit(comment('T-1')));
    expect(await quiet.claim()).toEqual([]);
    await quiet.change('update deliveries set wake_at = 1 where conversation = ?', conversation);
    await quiet.change('update queues set ready_at = 1 where conversation = ?', conversation);
    expect(await quiet.claimOne()).toMatchObject({ conversation, from: 1 });
  });

  it('FIF-3 those that have waited longest come first, and a long queue goes to the back of the line', async () => {
    const busy = await conversationOf('T-busy', ...Array.from({ length: 60 }, (_, i) => `message ${i}`));
    const others: string[] = [];
    for (let i = 0; i < 5; i++) others.push(await conversationOf(`T-${i}`, 'one'));
    await core.change('update queues set ready_at = 1 where conversation = ?', busy);
    const order: string[] = [];
    for (let round = 0; round < 6; round++) {
      const claim = await core.claimOne({ limit: 1 });
      order.push(claim.conversation);
      await core.finish(claim);
      await core.change('update queues set ready_at = ready_at - ? where conversation <> ? and ready_at is not null', 10, busy);
    }
    expect(order[0]).toBe(busy);
    expect(order.slice(1).sort()).toEqual(others.sort());
  });

  it('FIF-3 B28 a workspace takes no more than it has room for, and hides nobody behind it', async () => {
    const two = open(route(), route({ name: 'calm', source: 'calm', workspace: 'calm' }));
    await two.admitAll(comment('T-1'), comment('T-2'), comment('T-3'), { ...comment('C-1'), source: 'calm' });
    const byWorkspace = await two.claim({ room: room(1, (workspace) => workspace) });
    expect(byWorkspace).toHaveLength(2);
    const full = { workspaces: [{ org: 'default', workspace: 'main' }], orgs: [] };
    expect(await two.claim({ room: { full, take: () => true } })).toEqual([]);
    expect(await two.claim()).toHaveLength(2);
  });

  it('IDN-7 a full workspace of one organisation hides none of the same name in another', async () => {
    const two = open(route(), route({ org: 'acme' }));
    await two.admitAll(comment('T-1'), comment('T-2'), { ...comment('T-1'), org: 'acme' });
    const full = { workspaces: [{ org: 'default', workspace: 'main' }], orgs: [] };
    expect(await two.claim({ room: { full, take: () => true } })).toHaveLength(1);
    expect(await two.claim({ room: { full: { workspaces: [], orgs: ['acme'] }, take: room(1, (_, org) => org).take } })).toHaveLength(1);
  });

  it('TRN-5 B40 a finalize with a stale token changes nothing and says so', async () => {
    const conversation = await conversationOf('T-1', 'one');
    const claim = await core.claimOne();
    const before = await core.queue(conversation);
    for (const stale of [
      { ...claim, token: claim.token - 1 },
      { ...claim, owner: claim.owner + 1 },
    ])
      expect(await core.finish(stale)).toBe('stale');
    expect(await core.queue(conversation)).toEqual(before);
    expect(await core.count('turns')).toBe(0);
    expect(await core.finish(claim)).toBe('ended');
    expect(await core.finish(claim)).toBe('stale');
    expect(await core.rows('select token, state, result from turns')).toEqual([{ token: 1, state: 'done', result: 'ok' }]);
  });

  it('TRN-9 a replica whose lease has run out claims nothing', async () => {
    await conversationOf('T-1', 'one');
    if (core.database.dialect.name === 'sqlite') return;
    await core.change('update replicas set lease_until = lease_until - 3600000 where id = ?', core.owner);
    expect(await core.claim()).toEqual([]);
    await core.change('update replicas set lease_until = lease_until + 3600000 where id = ?', core.owner);
    expect(await core.claim()).toHaveLength(1);
  });
});
