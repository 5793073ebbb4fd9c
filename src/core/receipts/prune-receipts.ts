import { marks, type Tx } from '../../database/tx.js';
import { lockReceipts } from './receipts.js';

/** What one batch of pruning came to. */
export interface Pruned {
  readonly count: number;
  /** Where the next batch goes on. */
  readonly position: number;
  /** Nothing more is old enough for now. */
  readonly isDone: boolean;
}

/** Takes the payloads of receipts after a position. What a delivery still needs is remembered, and looked at again by `pruneKeptPayloads`. */
export async function prunePayloads(tx: Tx, olderThan: number, after: number, limit: number): Promise<Pruned> {
  const { ids, position, isDone } = await oldReceipts(tx, olderThan, after, limit);
  const open = await unfinished(tx, ids);
  if (open.length > 0)
    await tx.run(`insert into kept_payloads (receipt) values ${open.map(() => '(?)').join(', ')} on conflict do nothing`, open);
  return { count: await takePayloads(tx, without(ids, open)), position, isDone };
}

/** Goes round and round over the payloads that outlived their time, as few as there are unfinished deliveries. */
export async function pruneKeptPayloads(tx: Tx, _olderThan: number, after: number, limit: number): Promise<Pruned> {
  const rows = await tx.all<{ receipt: number }>('select receipt from kept_payloads where receipt > ? order by receipt limit ?', [
    after,
    limit,
  ]);
  const ids = rows.map(({ receipt }) => receipt);
  const finished = without(ids, await unfinished(tx, ids));
  const count = await takePayloads(tx, finished);
  if (finished.length > 0) await tx.run(`delete from kept_payloads where receipt in (${marks(finished.length)})`, finished);
  const isDone = ids.length < limit;
  return { count, position: isDone ? 0 : (ids.at(-1) ?? 0), isDone };
}

/**
 * Forgets receipts with all that was decided about them and their deliveries, once each of these was completed so long ago. Others stay,
 * and every round looks at them again: behind what is forgotten there are no more of them than of unfinished work.
 */
export async function pruneReceipts(tx: Tx, olderThan: number, after: number, limit: number): Promise<Pruned> {
  const { ids, position, isDone } = await oldReceipts(tx, olderThan, after, limit);
  const gone = without(ids, await recentlyNeeded(tx, ids, olderThan));
  if (gone.length > 0) {
    await lockReceipts(tx, gone);
    await tx.run(
      `delete from verdicts where (conversation, sequence) in (select conversation, sequence from deliveries where receipt in (${marks(gone.length)}))`,
      gone,
    );
    for (const table of [
      'deliveries',
      'decisions',
      'receipt_repeats',
      'receipt_conflicts',
      'kept_payloads',
      'kept_events',
      'notices',
      'early_changes',
    ])
      await tx.run(`delete from ${table} where receipt in (${marks(gone.length)})`, gone);
    await tx.run(`delete from receipts where id in (${marks(gone.length)})`, gone);
  }
  return { count: gone.length, position: isDone ? 0 : position, isDone };
}

/** In the order of their ids, which is that of their arrival: the first that is young ends the search. */
async function oldReceipts(
  tx: Tx,
  olderThan: number,
  after: number,
  limit: number,
): Promise<{ ids: number[]; position: number; isDone: boolean }> {
  const rows = await tx.all<{ id: number; received_at: number }>('select id, received_at from receipts where id > ? order by id limit ?', [
    after,
    limit,
  ]);
  const young = rows.findIndex(({ received_at }) => received_at >= olderThan);
  const ids = (young < 0 ? rows : rows.slice(0, young)).map(({ id }) => id);
  return { ids, position: ids.at(-1) ?? after, isDone: young >= 0 || rows.length < limit };
}

async function unfinished(tx: Tx, receipts: readonly number[]): Promise<number[]> {
  return among(tx, receipts, "state <> 'completed'");
}

async function recentlyNeeded(tx: Tx, receipts: readonly number[], olderThan: number): Promise<number[]> {
  if (receipts.length === 0) return [];
  const candidates = await tx.all<{ receipt: number }>(
    `select distinct receipt from effect_candidates where receipt in (${marks(receipts.length)})`,
    receipts,
  );
  const worked = await among(tx, receipts, "(state <> 'completed' or completed_at >= ?)", olderThan);
  return [...worked, ...candidates.map(({ receipt }) => receipt)];
}

async function among(tx: Tx, receipts: readonly number[], condition: string, ...values: readonly number[]): Promise<number[]> {
  if (receipts.length === 0) return [];
  const rows = await tx.all<{ receipt: number }>(
    `select distinct receipt from deliveries where receipt in (${marks(receipts.length)}) and ${condition}`,
    [...receipts, ...values],
  );
  return rows.map(({ receipt }) => receipt);
}

async function takePayloads(tx: Tx, receipts: readonly number[]): Promise<number> {
  if (receipts.length === 0) return 0;
  await lockReceipts(tx, receipts);
  return tx.run(`update receipts set payload = null where id in (${marks(receipts.length)}) and payload is not null`, receipts);
}

function without(ids: readonly number[], kept: readonly number[]): number[] {
  const stays = new Set(kept);
  return ids.filter((id) => !stays.has(id));
}
