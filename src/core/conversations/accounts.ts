import { inChunks, marks, type Tx } from '../../database/tx.js';
import type { Account } from '../limits/rules.js';

export async function readAccounts(tx: Tx, ids: readonly string[]): Promise<Map<string, Account>> {
  const accounts = new Map<string, Account>();
  for (const part of inChunks(ids, 1)) {
    const sql = `select id, spent_usd, waived_until, loop_floor from conversations where id in (${marks(part.length)})`;
    for (const { id, ...account } of await tx.all<Account & { id: string }>(sql, part)) accounts.set(id, account);
  }
  return accounts;
}

/** A turn of the conversation has cost this. */
export async function charge(tx: Tx, id: string, usd: number): Promise<void> {
  if (usd > 0) await tx.run('update conversations set spent_usd = spent_usd + ? where id = ?', [usd, id]);
}

/** An operator lets it go on: costs and loops count anew, and until then no budget of the day keeps it. */
export async function grant(tx: Tx, id: string, token: number, waivedUntil: number | null): Promise<void> {
  await tx.run('update conversations set spent_usd = 0, loop_floor = ?, waived_until = coalesce(?, waived_until) where id = ?', [
    token,
    waivedUntil,
    id,
  ]);
}

/** Nothing up to the sequence is remembered by its agent any more, and costs and loops count anew. */
export async function clearUpTo(tx: Tx, id: string, sequence: number, token: number): Promise<void> {
  await tx.run(
    `update conversations set cleared_to = ?, session = null, spent_usd = 0, loop_floor = ?, updated_at = ${tx.dialect.now} where id = ?`,
    [sequence, token, id],
  );
}
