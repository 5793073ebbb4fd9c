import { first, type Tx } from '../../database/tx.js';

export interface Sweep {
  /** Where the batch before ended. */
  readonly position: number;
  readonly now: number;
}

/** Holds a kind of pruning until the transaction ends. Null: it is not due, or another replica is at it. */
export async function takeSweep(tx: Tx, kind: string): Promise<Sweep | null> {
  await tx.run('insert into sweeps (kind, position, next_at, pruned) values (?, 0, 0, 0) on conflict do nothing', [kind]);
  return first<Sweep>(
    tx,
    `select position, ${tx.dialect.now} as now from sweeps where kind = ? and next_at <= ${tx.dialect.now}${tx.dialect.forUpdateSkipLocked}`,
    [kind],
  );
}

export async function saveSweep(tx: Tx, kind: string, to: { position: number; nextAt: number; pruned: number }): Promise<void> {
  await tx.run('update sweeps set position = ?, next_at = ?, pruned = pruned + ? where kind = ?', [
    to.position,
    to.nextAt,
    to.pruned,
    kind,
  ]);
}
