import { first, type Tx } from '../../database/tx.js';
import { type Found, findSlice, ledgerWindow, type Slice, Where } from '../listing.js';
import type { DeliveryKind, DeliveryState, Outcome, Trust } from './delivery.js';

/** A delivery with what its receipt says of its origin; `claimed` is read out of the conversation's claim. */
export interface DeliveryView {
  readonly conversation: string;
  readonly sequence: number;
  readonly receipt: number;
  readonly route: string | null;
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  readonly outcome: Outcome | null;
  readonly reason: string | null;
  readonly trust: Trust;
  readonly attempts: number;
  readonly interruptions: number;
  readonly due_at: number | null;
  readonly failure: string | null;
  readonly completed_at: number | null;
  readonly received_at: number;
  readonly source: string;
  readonly event_key: string;
}

export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly outcome?: Outcome | undefined;
}

export type DeliveryPosition = readonly [receipt: number, conversation: string];
export type SequencePosition = readonly [sequence: number];

const STATE = `case when d.state = 'pending' and q.owner is not null and d.sequence between q.claim_from and q.claim_to then 'claimed' else d.state end`;

const SELECT = `
  select d.conversation, d.sequence, d.receipt, d.route, d.kind, ${STATE} as state, d.outcome, d.reason, d.trust, d.attempts, d.interruptions,
    d.due_at, d.failure, d.completed_at, r.received_at, r.source, r.event_key
  from deliveries d join receipts r on r.id = d.receipt left join queues q on q.conversation = d.conversation`;

/** Of all conversations, newest receipt first. */
export async function listDeliveries(
  tx: Tx,
  org: string,
  filter: DeliveryFilter,
  slice: Slice<DeliveryPosition>,
): Promise<Found<DeliveryView, DeliveryPosition>> {
  const window = await ledgerWindow(tx, slice.after === null ? null : slice.after[0] + 1);
  const where = conditions(filter).and('r.org = ?', org).and('d.receipt >= ?', window.from);
  if (slice.after) where.and('(d.receipt, d.conversation) < (?, ?)', ...slice.after);
  const order = 'd.receipt desc, d.conversation desc';
  const found = await findSlice(
    tx,
    { select: SELECT, where, order },
    slice,
    (row: DeliveryView): DeliveryPosition => [row.receipt, row.conversation],
  );
  return { rows: found.rows, next: found.next ?? (window.from > 1 ? [window.from, LOWEST_ID] : null) };
}

/** Sorts before every conversation. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** Of one conversation, newest first. */
export async function listDeliveriesOf(
  tx: Tx,
  of: { readonly org: string; readonly conversation: string },
  filter: DeliveryFilter,
  slice: Slice<SequencePosition>,
): Promise<Found<DeliveryView, SequencePosition>> {
  const where = conditions(filter).and('d.conversation = ?', of.conversation).and('r.org = ?', of.org);
  if (slice.after) where.and('d.sequence < ?', ...slice.after);
  return findSlice(tx, { select: SELECT, where, order: 'd.sequence desc' }, slice, (row: DeliveryView) => [row.sequence]);
}

export async function readDeliveryView(tx: Tx, org: string, id: { conversation: string; sequence: number }): Promise<DeliveryView | null> {
  return first(tx, `${SELECT} where r.org = ? and d.conversation = ? and d.sequence = ?`, [org, id.conversation, id.sequence]);
}

function conditions({ state, outcome }: DeliveryFilter): Where {
  return new Where().filter(`${STATE} = ?`, state).filter('d.outcome = ?', outcome);
}
