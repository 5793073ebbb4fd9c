import { beforeEach, expect, it } from '@jest/globals';
import type { Claim } from '../../../src/core/deliveries/claim.js';
import { MAX_INTERRUPTIONS } from '../../../src/core/deliveries/queue.js';
import { type Machine, type RecoverySummary, recover } from '../../../src/core/recovery/recover.js';
import { enlist, type ReplicaIdentity, renew } from '../../../src/core/replicas/replicas.js';
import { checkpoint } from '../../../src/core/turns/turns.js';
import type { Database } from '../../../src/database/database.js';
import { comment, route } from '../builders.js';
import { type Core, delivered, eachCore, replica } from '../core.js';

/** A machine on which these processes live, and which remembers what it was told to end. */
class FakeMachine implements Machine {
  readonly ended: string[] = [];

  constructor(private readonly living: readonly number[] = []) {}

  async isRunning(pid: number): Promise<boolean> {
    return this.living.includes(pid);
  }

  async endProcess(pid: number, processStarted: string): Promise<void> {
    this.ended.push(`${pid} of ${processStarted}`);
  }
}

const ME = replica('first');
const LEASE_MS = 600_000;

eachCore('recovery', (open) => {
  let core: Core;
  let conversation: string;

  beforeEach(async () => {
    core = open(route());
    await core.change('delete from replicas where id <> ?', core.owner);
    await core.change(`update replicas set lease_until = ${core.database.dialect.now} + ? where id = ?`, LEASE_MS, core.owner);
    const answers = await core.admitAll(comment('T-1', 'one'), comment('T-1', 'two'));
    conversation = answers[0] ? delivered(answers[0]).conversation : '';
  });

  const isSqlite = () => core.database.dialect.name === 'sqlite';
  const join = (change: Partial<ReplicaIdentity> = {}) => core.database.transaction((tx) => enlist(tx, replica('other', change), LEASE_MS));
  const expire = (owner: number) => core.change(`update replicas set lease_until = ${core.database.dialect.now} where id = ?`, owner);
  const sweep = (machine: Machine = new FakeMachine(), database: Database = core.database): Promise<RecoverySummary> =>
    recover(database, { id: core.owner, ...ME }, machine);

  const claimAs = async (owner: number): Promise<Claim> => {
    const claim = await core.claimOne({ owner });
    await core.database.transaction((tx) =>
      checkpoint(tx, { ...claim, attempt: 1, startedAt: claim.claimedAt }, { pid: 99, startedAt: 'noon' }),
    );
    return claim;
  };

  it('REC-1 what a dead replica held goes back: the same messages, a higher token, the turn interrupted', async () => {
    const owner = await join();
    const claim = await claimAs(owner);
    await core.admit(comment('T-1', 'three'));
    await expire(owner);
    expect(await sweep()).toEqual({
      deadReplicas: 1,
      endedProcesses: 1,
      repaired: { effects: 0, claims: 1, jobs: 0, errands: 0, runs: 0 },
      failed: [],
    });
    expect(await core.rows('select state, token from turns')).toEqual([{ state: 'interrupted', token: claim.token }]);
    expect(await core.claimOne()).toMatchObject({ from: 1, to: 2, token: claim.token + 2, head: { attempts: 0, interruptions: 1 } });
    expect(await core.finish(claim)).toBe('stale');
    expect(await core.rows('select id from replicas where id = ?', owner)).toEqual([]);
    expect(await sweep()).toMatchObject({ deadReplicas: 0 });
  });

  it('REC-2 the work of a living replica is not touched; on SQLite, which has one server, no other lives', async () => {
    const owner = await join();
    const claim = await claimAs(owner);
    const summary = await sweep();
    expect(summary.repaired.claims).toBe(isSqlite() ? 1 : 0);
    expect(await core.finish(claim)).toBe(isSqlite() ? 'stale' : 'ended');
  });

  it('REC-2 the same name on the same boot is dead at once when its process is gone', async () => {
    const gone = await join({ name: 'first', pid: 5000 });
    await claimAs(gone);
    expect(await sweep(new FakeMachine([5001]))).toMatchObject({ deadReplicas: 1, repaired: { claims: 1 } });
  });

  it('REC-2 the same name with a living process, or of another boot, waits for its lease', async () => {
    await join({ name: 'first', pid: 5000 });
    await join({ name: 'first', pid: 6000, bootId: 'boot-2' });
    expect((await sweep(new FakeMachine([5000]))).deadReplicas).toBe(isSqlite() ? 2 : 0);
  });

  it('REC-1 ends the processes of turns on this machine, and those of another machine it leaves', async () => {
    const here = await join();
    await claimAs(here);
    await core.admit(comment('T-2'));
    const there = await join({ bootId: 'boot-2' });
    await claimAs(there);
    await expire(here);
    await expire(there);
    const machine = new FakeMachine();
    expect(await sweep(machine)).toMatchObject({ deadReplicas: 2, repaired: { claims: 2 }, endedProcesses: 1 });
    expect(machine.ended).toEqual(['99 of noon']);
  });

  it('REC-1 B53 a conversation whose repair fails keeps no other from recovering, and is tried again', async () => {
    const owner = await join();
    await core.admit(comment('T-2'));
    expect(await core.claim({ owner })).toHaveLength(2);
    await expire(owner);
    const failing = failingAt(core.database, 6);
    const summary = await sweep(new FakeMachine(), failing);
    expect(summary).toMatchObject({ repaired: { claims: 1 }, failed: [{ what: expect.any(String), error: expect.any(Error) }] });
    expect(await core.rows('select conversation from queues where owner is not null')).toEqual([{ conversation: summary.failed[0]?.what }]);
    expect(await sweep()).toMatchObject({ deadReplicas: 1, repaired: { effects: 0, claims: 1, jobs: 0, errands: 0, runs: 0 }, failed: [] });
    expect(await core.claim()).toHaveLength(2);
  });

  it('REC-1 a sweep that is killed anywhere in its middle is gone on with by the next', async () => {
    const conversations = 3;
    for (let call = 1; ; call++) {
      const owner = await join();
      for (let i = 1; i <= conversations; i++) await core.admit(comment(`K-${call}-${i}`));
      const claims = await core.claim({ owner });
      await expire(owner);
      const wasKilled = await sweep(new FakeMachine(), failingAt(core.database, call, 'from then on')).then(
        ({ failed }) => failed.length > 0,
        () => true,
      );
      await sweep();
      expect(await core.rows('select conversation from queues where owner is not null')).toEqual([]);
      expect(await core.rows('select id from replicas where id = ?', owner)).toEqual([]);
      const again = await core.claim();
      // Released once, whoever did it: two steps up from the claim that was lost.
      const tokens = new Map(again.map(({ conversation: id, token }) => [id, token]));
      expect(claims.map((claim) => (tokens.get(claim.conversation) ?? 0) - claim.token)).toEqual(claims.map(() => 2));
      for (const claim of again) await core.finish(claim);
      if (!wasKilled) break;
    }
  });

  it('TRN-9 a replica that was given up can neither renew nor claim nor finalize', async () => {
    const owner = await join();
    const claim = await claimAs(owner);
    await expire(owner);
    await sweep();
    expect(await core.database.transaction((tx) => renew(tx, owner, LEASE_MS))).toBe(false);
    expect(await core.claim({ owner })).toEqual([]);
    expect(await core.finish(claim)).toBe('stale');
  });

  it('FIF-5 a message that takes its process down every time stalls its conversation in the end', async () => {
    for (let i = 1; i <= MAX_INTERRUPTIONS; i++) {
      const owner = await join();
      await claimAs(owner);
      await expire(owner);
      await sweep();
    }
    expect(await core.queue(conversation)).toMatchObject({ parked: 'stalled', owner: null, ready_at: null });
    expect((await core.deliveries(conversation))[0]).toMatchObject({ interruptions: MAX_INTERRUPTIONS, attempts: 0 });
  });

  it('REC-2 two sweepers at once release each claim once', async () => {
    const owner = await join();
    for (let i = 0; i < 20; i++) await core.admit(comment(`M-${i}`));
    const claims = await core.claim({ owner });
    await expire(owner);
    await Promise.all([sweep(), sweep(), sweep()]);
    const tokens = await core.rows<{ token: number; owner: number | null }>('select token, owner from queues');
    expect(tokens).toHaveLength(claims.length);
    expect(tokens.every((queue) => queue.token === 2 && queue.owner === null)).toBe(true);
  });
});

/** The database, one transaction of which fails; or all from that one on, as for a process that is killed there. */
function failingAt(database: Database, call: number, which: 'only that' | 'from then on' = 'only that'): Database {
  let calls = 0;
  const failing: Database = Object.create(database);
  failing.transaction = (work) => {
    calls += 1;
    return calls === call || (which === 'from then on' && calls > call)
      ? Promise.reject(new Error('this one fails'))
      : database.transaction(work);
  };
  return failing;
}
