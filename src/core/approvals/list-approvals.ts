import { first, type Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';
import type { ApprovalState } from './approval.js';
import type { ApprovalRow } from './approvals.js';

export interface ApprovalFilter {
  readonly state?: string | undefined;
  readonly conversation?: string | undefined;
}

export type ApprovalPosition = readonly [createdAt: number, id: string];

export interface ApprovalView extends ApprovalRow {
  /** What nobody decided in time reads as expired, whether that is written down yet or not. */
  readonly shown: ApprovalState;
}

const shown = (tx: Tx): string => `case when a.state = 'pending' and a.expires_at <= ${tx.dialect.now} then 'expired' else a.state end`;

const select = (tx: Tx): string => `select a.*, ${shown(tx)} as shown from approvals a`;

/** Newest first. */
export async function listApprovals(
  tx: Tx,
  org: string,
  { state, conversation }: ApprovalFilter,
  slice: Slice<ApprovalPosition>,
): Promise<Found<ApprovalView, ApprovalPosition>> {
  const where = new Where()
    .and('a.org = ?', org)
    .filter(`${shown(tx)} = ?`, state)
    .filter('a.conversation = ?', conversation);
  if (slice.after) where.and('(a.created_at, a.id) < (?, ?)', ...slice.after);
  const order = 'a.created_at desc, a.id desc';
  return findSlice(tx, { select: select(tx), where, order }, slice, (row: ApprovalView): ApprovalPosition => [row.created_at, row.id]);
}

export async function showApproval(tx: Tx, org: string, id: string): Promise<ApprovalView | null> {
  return first(tx, `${select(tx)} where a.org = ? and a.id = ?`, [org, id]);
}
