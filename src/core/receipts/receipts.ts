import { type Insertion, marks, type Tx } from '../../database/tx.js';
import type { DeliveryIdentity } from '../../plugin/index.js';

export interface NewReceipt extends DeliveryIdentity {
  readonly identity: Buffer;
  readonly digest: Buffer | null;
  readonly contentHash: Buffer;
  readonly eventKey: string;
  readonly parsed: string;
  readonly payload: Buffer;
  readonly payloadSize: number;
  readonly payloadCut: boolean;
  readonly secretIndex: number;
}

interface InsertedRow {
  readonly id: number;
  readonly identity: Buffer;
  readonly received_at: number;
}

/** A receipt that was there before, as far as a repeated delivery needs it. */
export interface KnownReceipt {
  readonly id: number;
  readonly identity: Buffer;
  readonly digest: Buffer | null;
  readonly content_hash: Buffer;
}

const RECEIPTS: Insertion = {
  table: 'receipts',
  columns: {
    ...{ org: 'text', provider: 'text', source: 'text', delivery_id: 'text', identity: 'bytea', digest: 'bytea', content_hash: 'bytea' },
    ...{ event_key: 'text', parsed: 'text', payload: 'bytea', payload_size: 'integer', payload_cut: 'smallint', secret_index: 'smallint' },
  },
  stamped: 'received_at',
  ending: 'on conflict do nothing returning id, identity, received_at',
};

/** Inserts those that are not in the ledger yet, under their id or their digest; what is missing from the answer was there. */
export function insertReceipts(tx: Tx, receipts: readonly NewReceipt[]): Promise<InsertedRow[]> {
  const rows = receipts.map((r) => [
    ...[r.org, r.provider, r.source, r.deliveryId, r.identity, r.digest, r.contentHash],
    ...[r.eventKey, r.parsed, r.payload, r.payloadSize, Number(r.payloadCut), r.secretIndex],
  ]);
  return tx.insert(RECEIPTS, rows);
}

/** Two who decide about one stored receipt again do so one after the other. Those that are still there, in the order of their ids. */
export async function lockReceipts(tx: Tx, ids: readonly number[]): Promise<{ id: number; purged_at: number | null }[]> {
  if (ids.length === 0) return [];
  return tx.all(`select id, purged_at from receipts where id in (${marks(ids.length)}) order by id${tx.dialect.forUpdate}`, ids);
}

/** Each arm of the union uses its own index. */
export async function findReceipts(tx: Tx, identities: readonly Buffer[], digests: readonly Buffer[]): Promise<KnownReceipt[]> {
  const found = (column: 'identity' | 'digest') =>
    `select id, identity, digest, content_hash from receipts where ${column} ${tx.dialect.among('bytea')}`;
  return tx.all(`${found('identity')} union all ${found('digest')}`, [identities, digests]);
}

/** An event that came under the id of another one. */
export interface ConflictingCopy {
  readonly receipt: number;
  readonly contentHash: Buffer;
  readonly payloadSize: number;
}

/** Keeps what is needed to find out about them: which content came under the id, how often and when. */
export async function noteConflicts(tx: Tx, copies: readonly ConflictingCopy[]): Promise<void> {
  for (const { receipt, contentHash, payloadSize } of copies)
    await tx.run(
      `insert into receipt_conflicts (receipt, content_hash, payload_size, count, first_at, last_at) values (?, ?, ?, 1, ${tx.dialect.now}, ${tx.dialect.now})
       on conflict (receipt, content_hash) do update set count = receipt_conflicts.count + 1, last_at = excluded.last_at`,
      [receipt, contentHash, payloadSize],
    );
}

const REPEATS: Insertion = {
  table: 'receipt_repeats',
  columns: { receipt: 'bigint', duplicates: 'integer', conflicts: 'integer' },
  stamped: 'last_at',
  ending: `on conflict (receipt) do update set duplicates = receipt_repeats.duplicates + excluded.duplicates,
    conflicts = receipt_repeats.conflicts + excluded.conflicts, last_at = excluded.last_at`,
};

/** Counts them, in the order of their receipts. */
export async function countRepeats(tx: Tx, repeats: readonly { receipt: number; isConflict: boolean }[]): Promise<void> {
  const counts = new Map<number, { duplicates: number; conflicts: number }>();
  for (const { receipt, isConflict } of repeats) {
    const { duplicates, conflicts } = counts.get(receipt) ?? { duplicates: 0, conflicts: 0 };
    counts.set(receipt, { duplicates: duplicates + 1, conflicts: conflicts + Number(isConflict) });
  }
  const rows = [...counts].toSorted(([a], [b]) => a - b);
  await tx.insert(
    REPEATS,
    rows.map(([receipt, { duplicates, conflicts }]) => [receipt, duplicates, conflicts]),
  );
}

export interface StoredDecision {
  readonly receipt: number;
  readonly number: number;
  readonly decided_at: number;
  readonly decided_by: string;
  readonly disposition: string;
  readonly reason: string | null;
  readonly matched: number;
  /** JSON of `DecisionDetail`. */
  readonly detail: string;
}

const DECISION = 'receipt, number, decided_at, decided_by, disposition, reason, matched, detail';

/** The decision of acceptance of each receipt. */
export async function firstDecisions(tx: Tx, receipts: readonly number[]): Promise<StoredDecision[]> {
  if (receipts.length === 0) return [];
  return tx.all(`select ${DECISION} from decisions where number = 0 and receipt ${tx.dialect.among('bigint')}`, [receipts]);
}

/** What was decided last about each receipt. */
export async function latestDecisions(tx: Tx, receipts: readonly number[]): Promise<StoredDecision[]> {
  if (receipts.length === 0) return [];
  return tx.all(
    `select * from decisions k where receipt in (${marks(receipts.length)})
       and not exists (select 1 from decisions x where x.receipt = k.receipt and x.number > k.number)`,
    receipts,
  );
}

/** Of these receipts those about which one of the reasons was ever decisive; `is_own` 1: it was `own`. */
export async function decidedFor(
  tx: Tx,
  receipts: readonly number[],
  own: string,
  others: readonly string[],
): Promise<{ receipt: number; is_own: number }[]> {
  if (receipts.length === 0) return [];
  return tx.all(
    `select receipt, max(case when reason = ? then 1 else 0 end) as is_own from decisions
      where receipt in (${marks(receipts.length)}) and reason in (?, ${marks(others.length)}) group by receipt`,
    [own, ...receipts, own, ...others],
  );
}

export async function nextDecisionNumbers(tx: Tx, receipts: readonly number[]): Promise<Map<number, number>> {
  if (receipts.length === 0) return new Map();
  const rows = await tx.all<{ receipt: number; next: number }>(
    `select receipt, max(number) + 1 as next from decisions where receipt in (${marks(receipts.length)}) group by receipt`,
    receipts,
  );
  return new Map(rows.map(({ receipt, next }) => [receipt, next]));
}

const DECISIONS: Insertion = {
  table: 'decisions',
  columns: {
    ...{ receipt: 'bigint', number: 'integer', decided_at: 'bigint', decided_by: 'text', disposition: 'text', reason: 'text' },
    ...{ matched: 'integer', detail: 'text' },
  },
};

export async function insertDecisions(tx: Tx, decisions: readonly StoredDecision[]): Promise<void> {
  await tx.insert(
    DECISIONS,
    decisions.map((d) => [d.receipt, d.number, d.decided_at, d.decided_by, d.disposition, d.reason, d.matched, d.detail]),
  );
}

/** What of a stored receipt deciding it again needs. Its payload is null once it was pruned. */
export interface StoredReceipt {
  readonly id: number;
  readonly org: string;
  readonly provider: string;
  readonly source: string;
  readonly delivery_id: string;
  readonly event_key: string;
  readonly parsed: string;
  readonly payload: Buffer | null;
  readonly payload_size: number;
  readonly payload_cut: number;
  readonly secret_index: number;
  readonly received_at: number;
  /** Since when it has no words any more. */
  readonly purged_at: number | null;
}

export async function readReceipt(tx: Tx, org: string, id: number): Promise<StoredReceipt | null> {
  const [row] = await tx.all<StoredReceipt>(
    `select id, org, provider, source, delivery_id, event_key, parsed, payload, payload_size, payload_cut, secret_index, received_at, purged_at
       from receipts where id = ? and org = ?`,
    [id, org],
  );
  return row ?? null;
}
