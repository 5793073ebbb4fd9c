import { type Tx, tuples } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';

/** A person was refused by the routes of a source. */
export interface Refusal {
  readonly org: string;
  readonly source: string;
  /** The provider's id of the person. */
  readonly author: string;
  readonly receipt: number;
}

const DAY_MS = 86_400_000;

/** Puts down the first refusal of each person of the day; which of them were the first. The key of the table is what makes it once. */
export async function noteRefusals(tx: Tx, refusals: readonly Refusal[], now: number): Promise<Refusal[]> {
  if (refusals.length === 0) return [];
  const day = Math.floor(now / DAY_MS);
  // Transactions that refuse the same people put them down in the same order.
  const sorted = refusals.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : a.receipt - b.receipt));
  const rows = await tx.all<{ receipt: number }>(
    `insert into notices (org, source, author, day, receipt) values ${tuples(sorted.length, 5)} on conflict do nothing returning receipt`,
    sorted.flatMap(({ org, source, author, receipt }) => [org, source, author, day, receipt]),
  );
  const noticed = new Set(rows.map(({ receipt }) => receipt));
  return refusals.filter(({ receipt }) => noticed.has(receipt));
}

function keyOf({ org, source, author }: Refusal): string {
  return JSON.stringify([org, source, author]);
}

export interface NoticeRow extends Refusal {
  readonly received_at: number;
  readonly event_key: string;
  /** JSON of the event as it was parsed. */
  readonly parsed: string;
  readonly detail: string;
}

export type NoticePosition = readonly [receipt: number];

export interface NoticeFilter {
  readonly source?: string | undefined;
  readonly author?: string | undefined;
}

export async function listNotices(
  tx: Tx,
  org: string,
  filter: NoticeFilter,
  slice: Slice<NoticePosition>,
): Promise<Found<NoticeRow, NoticePosition>> {
  const where = new Where().and('n.org = ?', org).filter('n.source = ?', filter.source).filter('n.author = ?', filter.author);
  if (slice.after) where.and('n.receipt < ?', ...slice.after);
  const select = `select n.org, n.source, n.author, n.receipt, r.received_at, r.event_key, r.parsed, k.detail
    from notices n join receipts r on r.id = n.receipt join decisions k on k.receipt = n.receipt and k.number = 0`;
  return findSlice(tx, { select, where, order: 'n.receipt desc' }, slice, (row: NoticeRow) => [row.receipt]);
}
