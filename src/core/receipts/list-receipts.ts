import { first, type Tx } from '../../database/tx.js';
import { type Found, findSlice, ledgerWindow, type Slice, Where } from '../listing.js';
import type { StoredDecision, StoredReceipt } from './receipts.js';

/** A receipt with its latest decision and how often it came again. */
export interface ReceiptView {
  readonly id: number;
  readonly org: string;
  readonly provider: string;
  readonly source: string;
  readonly delivery_id: string;
  readonly event_key: string;
  readonly received_at: number;
  readonly payload_size: number;
  readonly payload_cut: number;
  readonly secret_index: number;
  readonly disposition: string;
  readonly reason: string | null;
  readonly matched: number;
  readonly duplicates: number;
  readonly conflicts: number;
}

export interface ReceiptFilter {
  readonly source?: string | undefined;
  readonly disposition?: string | undefined;
  readonly reason?: string | undefined;
  readonly delivery_id?: string | undefined;
  /** Under which a delivery with this id would be known, of each source that it may have come by. */
  readonly identities?: readonly Buffer[] | undefined;
  /** Only those under whose id other content came, too. */
  readonly conflicting?: 'true' | undefined;
  /** Received at this instant or later. */
  readonly since?: number | undefined;
}

export type ReceiptPosition = readonly [id: number];

const SELECT = `
  select r.id, r.org, r.provider, r.source, r.delivery_id, r.event_key, r.received_at, r.payload_size, r.payload_cut, r.secret_index,
    k.disposition, k.reason, k.matched, coalesce(p.duplicates, 0) as duplicates, coalesce(p.conflicts, 0) as conflicts
  from receipts r
    join decisions k on k.receipt = r.id and not exists (select 1 from decisions x where x.receipt = k.receipt and x.number > k.number)
    left join receipt_repeats p on p.receipt = r.id`;

export async function listReceipts(
  tx: Tx,
  org: string,
  filter: ReceiptFilter,
  slice: Slice<ReceiptPosition>,
): Promise<Found<ReceiptView, ReceiptPosition>> {
  const known = await findIdentified(tx, org, filter, slice);
  if (known !== null) return known;
  const window = await ledgerWindow(tx, slice.after === null ? null : slice.after[0]);
  const where = conditions(org, filter).and('r.id < ?', window.before).and('r.id >= ?', window.from);
  const found = await findReceipts(tx, where, slice);
  return { rows: found.rows, next: found.next ?? (window.from > 1 ? [window.from] : null) };
}

/**
 * Deliveries of sources that are configured are found by their identity, however old they are. Null: there is none, and what is left
 * to look for, such as one of a source that is no more, is found by its id alone, which no index has: window by window.
 */
async function findIdentified(
  tx: Tx,
  org: string,
  { identities = [], ...filter }: ReceiptFilter,
  slice: Slice<ReceiptPosition>,
): Promise<Found<ReceiptView, ReceiptPosition> | null> {
  if (identities.length === 0 || slice.after !== null) return null;
  const among = `r.identity in (${identities.map(() => '?').join(', ')})`;
  const found = await findReceipts(tx, conditions(org, filter).and(among, ...identities), slice);
  return found.rows.length === 0 ? null : found;
}

function findReceipts(tx: Tx, where: Where, slice: Slice<ReceiptPosition>): Promise<Found<ReceiptView, ReceiptPosition>> {
  return findSlice(tx, { select: SELECT, where, order: 'r.id desc' }, slice, (row: ReceiptView): ReceiptPosition => [row.id]);
}

function conditions(org: string, { source, disposition, reason, delivery_id, conflicting, since }: ReceiptFilter): Where {
  const where = new Where()
    .and('r.org = ?', org)
    .filter('r.source = ?', source)
    .filter('k.disposition = ?', disposition)
    .filter('k.reason = ?', reason)
    .filter('r.delivery_id = ?', delivery_id)
    .filter('r.received_at >= ?', since);
  return conflicting === undefined ? where : where.and('p.conflicts > 0');
}

export interface ReceiptContent {
  /** JSON of what the plugin's parser made of it. */
  readonly parsed: string;
  /** Null once it was pruned. */
  readonly payload: Buffer | null;
}

export async function readReceiptView(tx: Tx, org: string, id: number): Promise<(ReceiptView & ReceiptContent) | null> {
  return first(tx, `${SELECT.replace('select r.id', 'select r.parsed, r.payload, r.id')} where r.org = ? and r.id = ?`, [org, id]);
}

/** The latest that came by these sources, newest first, as far as one slice of a search looks back. */
export async function latestReceipts(tx: Tx, org: string, sources: readonly string[], limit: number): Promise<StoredReceipt[]> {
  const { from } = await ledgerWindow(tx, null);
  return tx.all(
    `select id, org, provider, source, delivery_id, event_key, parsed, payload, payload_size, payload_cut, secret_index, received_at, purged_at
       from receipts where id >= ? and org = ? and source ${tx.dialect.among('text')} order by id desc limit ?`,
    [from, org, sources, limit],
  );
}

/** All that was ever decided about it, in that order. */
export async function decisionsOf(tx: Tx, receipt: number): Promise<StoredDecision[]> {
  return tx.all('select * from decisions where receipt = ? order by number', [receipt]);
}

/** Another content that came under the id of a receipt. */
export interface ConflictView {
  readonly content_hash: Buffer;
  readonly payload_size: number;
  readonly count: number;
  readonly first_at: number;
  readonly last_at: number;
}

const MOST_CONFLICTS = 50;

/** The latest ones first. */
export async function conflictsOf(tx: Tx, receipt: number): Promise<ConflictView[]> {
  return tx.all(
    `select content_hash, payload_size, count, first_at, last_at from receipt_conflicts where receipt = ? order by last_at desc limit ${MOST_CONFLICTS}`,
    [receipt],
  );
}
