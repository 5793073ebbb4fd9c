import { first, type Tx } from '../../database/tx.js';

/** How far a polled source has been read; null: never. */
export async function readCursor(tx: Tx, org: string, source: string): Promise<string | null> {
  const row = await first<{ value: string }>(tx, 'select value from cursors where org = ? and source = ?', [org, source]);
  return row?.value ?? null;
}

/** Belongs into the transaction that stores what was read up to there, under the lease whose token it is. */
export async function saveCursor(tx: Tx, at: { org: string; source: string }, value: string, token: number): Promise<void> {
  await tx.run(
    `insert into cursors (org, source, value, token, updated_at) values (?, ?, ?, ?, ${tx.dialect.now})
     on conflict (org, source) do update set value = excluded.value, token = excluded.token, updated_at = excluded.updated_at`,
    [at.org, at.source, value, token],
  );
}
