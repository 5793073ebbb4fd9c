import type { Tx } from '../../database/tx.js';
import type { Account } from '../limits/rules.js';

export async function readAccounts(tx: Tx, ids: readonly string[]): Promise<Map<string, Account>> {
  const sql = `select id, spent_usd, waived_until, loop_floor from conversations where id ${tx.dialect.among('uuid')}`;
  const rows = await tx.all<Account & { id: string }>(sql, [ids]);
  return new Map(rows.map(({ id, ...account }) => [id, account]));
}

/** Turns of these conversations have cost this. */
export async function charge(tx: Tx, costs: readonly { readonly conversation: string; readonly usd: number }[]): Promise<void> {
  const sums = new Map<string, number>();
  for (const { conversation, usd } of costs) if (usd > 0) sums.set(conversation, (sums.get(conversation) ?? 0) + usd);
  if (sums.size === 0) return;
  const { sql, values } = tx.dialect.given('c', { whose: 'uuid', usd: 'double precision' }, [...sums]);
  await tx.run(`update conversations set spent_usd = spent_usd + c.usd from ${sql} where id = c.whose`, values);
}

/** An operator lets it go on: costs and loops count anew, and until then no budget of the day keeps it. */
export async function grant(tx: Tx, id: string, token: number, waivedUntil: number | null): Promise<void> {
  await tx.run('update conversations set spent_usd = 0, loop_floor = ?, waived_until = coalesce(?, waived_until) where id = ?', [
    token,
    waivedUntil,
    id,
  ]);
}

/** Nothing up to the sequence is remembered by its agent any more, whoever wrote it, and costs and loops count anew. */
export async function clearUpTo(tx: Tx, id: string, sequence: number, token: number): Promise<void> {
  await tx.run(
    `update conversations set cleared_to = ?, session = null, tainted = 0, spent_usd = 0, loop_floor = ?, updated_at = ${tx.dialect.now} where id = ?`,
    [sequence, token, id],
  );
}
