import { first, marks, type Tx } from '../../database/tx.js';

/** A running process, by what tells it from every other: a name, the machine's boot, the process and when it started. */
export interface ReplicaIdentity {
  readonly name: string;
  readonly bootId: string;
  readonly pid: number;
  readonly processStarted: string;
}

export interface ReplicaRow {
  readonly id: number;
  readonly name: string;
  readonly boot_id: string;
  readonly pid: number;
  readonly process_started: string;
  readonly is_expired: number;
}

/** A new row for every start: its id is the owner of claims, and no later incarnation is mistaken for it. */
export async function enlist(tx: Tx, { name, bootId, pid, processStarted }: ReplicaIdentity, leaseMs: number): Promise<number> {
  const row = await first<{ id: number }>(
    tx,
    `insert into replicas (name, boot_id, pid, process_started, started_at, lease_until)
     values (?, ?, ?, ?, ${tx.dialect.now}, ${tx.dialect.now} + ?) returning id`,
    [name, bootId, pid, processStarted, leaseMs],
  );
  if (row === null) throw new Error('the replica was not enlisted');
  return row.id;
}

/** Prolongs the lease. False: it had run out, others may have taken the claims, and this incarnation must stop. */
export async function renew(tx: Tx, id: number, leaseMs: number): Promise<boolean> {
  // One process owns a SQLite file: no clock can take its lease away.
  const unlessExpired = tx.dialect.name === 'sqlite' ? '' : ` and lease_until > ${tx.dialect.now}`;
  return (await tx.run(`update replicas set lease_until = ${tx.dialect.now} + ? where id = ?${unlessExpired}`, [leaseMs, id])) === 1;
}

/** Holds the row until the transaction ends: whoever condemns this replica sees all that it claimed. */
export async function isAlive(tx: Tx, id: number): Promise<boolean> {
  const unlessExpired = tx.dialect.name === 'sqlite' ? '' : ` and lease_until > ${tx.dialect.now}`;
  return (await first(tx, `select 1 as alive from replicas where id = ?${unlessExpired}${tx.dialect.forUpdate}`, [id])) !== null;
}

/** From its commit on the replicas can neither claim nor renew. */
export async function condemn(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.run(`update replicas set lease_until = 0 where id in (${marks(ids.length)})`, ids);
}

export async function otherReplicas(tx: Tx, id: number): Promise<ReplicaRow[]> {
  return tx.all(
    `select id, name, boot_id, pid, process_started, case when lease_until <= ${tx.dialect.now} then 1 else 0 end as is_expired from replicas where id <> ? order by id`,
    [id],
  );
}

/** A replica that leaves in order has nothing to be recovered, unless a claim or a write could not be ended: then it is found dead at once. */
export async function release(tx: Tx, id: number): Promise<void> {
  await condemn(tx, [id]);
  await tx.run(
    `delete from replicas where id = ? and not exists (select 1 from queues where owner = replicas.id)
       and not exists (select 1 from jobs where owner = replicas.id)
       and not exists (select 1 from errands where owner = replicas.id)
       and not exists (select 1 from runs where owner = replicas.id and state in ('starting', 'running'))
       and not exists (select 1 from effects where owner = replicas.id and state in ('prepared', 'executing'))`,
    [id],
  );
}

export async function bury(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.run(`delete from replicas where id in (${marks(ids.length)})`, ids);
}

/** The conversations whose claims a replica held. */
export async function conversationsOwnedBy(tx: Tx, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<{ conversation: string }>(
    `select conversation from queues where owner in (${marks(ids.length)}) order by conversation`,
    ids,
  );
  return rows.map(({ conversation }) => conversation);
}
