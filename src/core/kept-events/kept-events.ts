import { marks, type Tx, tuples } from '../../database/tx.js';

/** The receipt of an event that a route keeps until it is asked for. */
export interface KeptEvent {
  readonly org: string;
  readonly route: string;
  readonly receipt: number;
}

export async function insertKept(tx: Tx, kept: readonly KeptEvent[]): Promise<void> {
  if (kept.length === 0) return;
  await tx.run(
    `insert into kept_events (org, route, receipt) values ${tuples(kept.length, 3)}`,
    kept.flatMap(({ org, route, receipt }) => [org, route, receipt]),
  );
}

/** The next receipts that a route keeps, in the order of their arrival. */
export async function nextKept(tx: Tx, { org, name }: { org: string; name: string }, limit: number): Promise<number[]> {
  const rows = await tx.all<{ receipt: number }>('select receipt from kept_events where org = ? and route = ? order by receipt limit ?', [
    org,
    name,
    limit,
  ]);
  return rows.map(({ receipt }) => receipt);
}

/** How many of them the route had kept until now. */
export function deleteKept(tx: Tx, { org, name }: { org: string; name: string }, receipts: readonly number[]): Promise<number> {
  return tx.run(`delete from kept_events where org = ? and route = ? and receipt in (${marks(receipts.length)})`, [org, name, ...receipts]);
}
