import { type Insertion, inChunks, marks, type Tx } from '../../database/tx.js';

/** An event that waits for an undecided effect, which may have caused it. */
export interface Candidate {
  readonly effect: string;
  readonly receipt: number;
  readonly evidence: Buffer;
}

const CANDIDATES: Insertion = {
  table: 'effect_candidates',
  columns: { effect: 'uuid', receipt: 'bigint', evidence: 'bytea', held_at: 'bigint' },
  ending: 'on conflict do nothing',
};

/** Written by whoever has locked the effects and the queues of what is held. */
export async function insertCandidates(tx: Tx, candidates: readonly Candidate[], now: number): Promise<void> {
  await tx.insert(
    CANDIDATES,
    candidates.map(({ effect, receipt, evidence }) => [effect, receipt, evidence, now]),
  );
}

export async function candidatesOf(tx: Tx, effects: readonly string[]): Promise<Candidate[]> {
  if (effects.length === 0) return [];
  return tx.all(
    `select effect, receipt, evidence from effect_candidates where effect in (${marks(effects.length)}) order by receipt`,
    effects,
  );
}

/** Those of the receipts that still wait for some effect. */
export async function stillCandidates(tx: Tx, receipts: readonly number[]): Promise<Set<number>> {
  const found = new Set<number>();
  for (const part of inChunks(receipts, 1)) {
    const rows = await tx.all<{ receipt: number }>(
      `select distinct receipt from effect_candidates where receipt in (${marks(part.length)})`,
      part,
    );
    for (const { receipt } of rows) found.add(receipt);
  }
  return found;
}

export async function deleteCandidatesOf(tx: Tx, effects: readonly string[]): Promise<void> {
  if (effects.length > 0) await tx.run(`delete from effect_candidates where effect in (${marks(effects.length)})`, effects);
}

export async function deleteCandidates(tx: Tx, receipts: readonly number[]): Promise<void> {
  for (const part of inChunks(receipts, 1)) await tx.run(`delete from effect_candidates where receipt in (${marks(part.length)})`, part);
}

/**
 * Forgets the candidates of a conversation whose held deliveries have been completed otherwise, such as by a reset.
 * What the same event holds in other conversations stays. The caller has locked the conversation's queue.
 */
export async function dropCandidates(tx: Tx, conversation: string): Promise<void> {
  await tx.run(
    `delete from effect_candidates where receipt in (select c.receipt from effect_candidates c
       join deliveries d on d.receipt = c.receipt and d.conversation = ?
       where not exists (select 1 from deliveries h where h.receipt = c.receipt and h.state = 'held'))`,
    [conversation],
  );
}

/** What is held, over all organisations. */
export interface HeldLoad {
  readonly unknown: number;
  /** Since when the event waits that has waited longest; null: none waits. */
  readonly oldest_held_at: number | null;
}

export async function readHeldLoad(tx: Tx): Promise<HeldLoad> {
  const [load] = await tx.all<HeldLoad>(
    `select (select count(*) from effects where state = 'outcome_unknown') as unknown,
       (select min(held_at) from effect_candidates c
         where exists (select 1 from deliveries d where d.receipt = c.receipt and d.state = 'held')) as oldest_held_at`,
  );
  if (!load) throw new Error('an aggregate without a row');
  return load;
}
