import { first, marks, type Tx } from '../../database/tx.js';

/** The right of one replica to do what one at a time does; whoever comes with an older token changes nothing. */
export interface Lease {
  readonly name: string;
  readonly owner: number;
  readonly token: number;
}

export interface LeaseRow {
  readonly name: string;
  readonly owner: number | null;
  readonly token: number;
  readonly taken_at: number | null;
  readonly state: string | null;
  readonly detail: string | null;
  readonly changed_at: number | null;
  /** Name of the replica that has it; null: nobody has. */
  readonly replica: string | null;
}

const OWNER_LIVES = 'exists (select 1 from replicas r where r.id = leases.owner and r.lease_until > ';

/** What is known of these leases; a name that was never taken has no row. */
export async function readLeases(tx: Tx, names: readonly string[]): Promise<LeaseRow[]> {
  if (names.length === 0) return [];
  return tx.all(
    `select l.name, l.owner, l.token, l.taken_at, l.state, l.detail, l.changed_at, r.name as replica
       from leases l left join replicas r on r.id = l.owner and r.lease_until > ${tx.dialect.now} where l.name in (${marks(names.length)}) order by l.name`,
    names,
  );
}

/** Takes what nobody has, or what a replica had that is no longer heard of. Null: somebody has it, or the taker's own lease ran out. */
export async function takeLease(tx: Tx, name: string, owner: number): Promise<Lease | null> {
  await tx.run('insert into leases (name) values (?) on conflict do nothing', [name]);
  const taken = await first<{ token: number }>(
    tx,
    `update leases set owner = ?, token = token + 1, taken_at = ${tx.dialect.now}, state = null, detail = null, changed_at = ${tx.dialect.now}
      where name = ? and (owner is null or owner = ? or not ${OWNER_LIVES}${tx.dialect.now}))
        and exists (select 1 from replicas where id = ?) returning token`,
    [owner, name, owner, owner],
  );
  return taken === null ? null : { name, owner, token: taken.token };
}

/** Until the transaction ends nobody takes it away. False: somebody has. */
export async function holdsLease(tx: Tx, { name, owner, token }: Lease): Promise<boolean> {
  const held = await first(tx, `select 1 as held from leases where name = ? and owner = ? and token = ?${tx.dialect.forUpdate}`, [
    name,
    owner,
    token,
  ]);
  return held !== null;
}

/** What its holder says of it, for people. False: it is no longer the holder's. */
export async function describeLease(tx: Tx, { name, owner, token }: Lease, state: string, detail: string | null): Promise<boolean> {
  const changed = await tx.run(
    `update leases set state = ?, detail = ?, changed_at = ${tx.dialect.now} where name = ? and owner = ? and token = ?`,
    [state, detail, name, owner, token],
  );
  return changed === 1;
}

export async function giveUpLease(tx: Tx, { name, owner, token }: Lease): Promise<void> {
  await tx.run(
    `update leases set owner = null, state = null, detail = null, changed_at = ${tx.dialect.now} where name = ? and owner = ? and token = ?`,
    [name, owner, token],
  );
}

/** Takes leases away from whoever has them: the next to look begins anew. */
export async function revokeLeases(tx: Tx, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.run(
    `update leases set owner = null, token = token + 1, state = null, detail = null, changed_at = ${tx.dialect.now} where name in (${marks(names.length)})`,
    names,
  );
}

/** How many are in which state, by what those who have them said last. */
export async function countLeases(tx: Tx): Promise<{ state: string; count: number }[]> {
  return tx.all(
    `select state, count(*) as count from leases where state is not null and ${OWNER_LIVES}${tx.dialect.now}) group by state order by state`,
  );
}
