import { first, type Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';
import type { Binding } from './bindings.js';

export interface ControlView extends Omit<Binding, 'verified_at'> {
  readonly created_at: number;
  /** What is to be done in the thread and is not done yet. */
  readonly waiting: number;
}

export interface ControlFilter {
  readonly connection?: string | undefined;
  readonly state?: string | undefined;
  readonly fault?: string | undefined;
}

export type ControlPosition = readonly [createdAt: number, conversation: string];

const SELECT = `select b.*, (select count(*) from errands e where e.conversation = b.conversation and e.ended_at is null) as waiting
  from control_bindings b`;

/** Newest first. */
export async function listControls(
  tx: Tx,
  org: string,
  { connection, state, fault }: ControlFilter,
  slice: Slice<ControlPosition>,
): Promise<Found<ControlView, ControlPosition>> {
  const where = new Where().and('b.org = ?', org).filter('b.connection = ?', connection).filter('b.state = ?', state);
  where.filter('b.fault = ?', fault);
  if (slice.after) where.and('(b.created_at, b.conversation) < (?, ?)', ...slice.after);
  const order = 'b.created_at desc, b.conversation desc';
  return findSlice(tx, { select: SELECT, where, order }, slice, (row: ControlView): ControlPosition => [row.created_at, row.conversation]);
}

export async function readControl(tx: Tx, org: string, conversation: string): Promise<ControlView | null> {
  return first(tx, `${SELECT} where b.org = ? and b.conversation = ?`, [org, conversation]);
}
