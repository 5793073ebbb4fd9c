import type { Tx } from '../../database/tx.js';
import { isAlive } from '../replicas/replicas.js';
import { lockFreeBindings } from './bindings.js';
import { beginErrands, claimableErrands, type ErrandRow } from './errands.js';

export interface ErrandRequest {
  readonly owner: number;
  /** Channels that are not to be asked now, as `org/connection`. */
  readonly busy: readonly string[];
  readonly limit: number;
}

/**
 * Takes in hand what is due. The binding is the lock of its thread's lane: of one that somebody else looks at nothing is taken now. Null:
 * this replica's lease has run out.
 */
export async function claimErrands(tx: Tx, { owner, busy, limit }: ErrandRequest): Promise<ErrandRow[] | null> {
  const found = await claimableErrands(tx, busy, limit);
  if (found.length === 0) return [];
  if (!(await isAlive(tx, owner))) return null;
  const threads = found.flatMap(({ lane, conversation }) => (lane === conversation ? [lane] : []));
  const locked = new Set(await lockFreeBindings(tx, threads));
  const ours = found.filter(({ lane, conversation }) => lane !== conversation || locked.has(lane));
  return beginErrands(
    tx,
    ours.map(({ id }) => id),
    owner,
  );
}
