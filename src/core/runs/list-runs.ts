import { first, type Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';
import { quoted } from '../machine.js';
import { run } from './run.js';
import { type RunRow, WORKED_ON } from './run-rows.js';

export interface RunFilter {
  readonly automation?: string | undefined;
  readonly state?: string | undefined;
  readonly cause?: string | undefined;
  readonly conversation?: string | undefined;
  /** As a run has it: source and key of what it is about. */
  readonly subject?: string | undefined;
  /** Made at this instant or later. */
  readonly since?: number | undefined;
}

export type RunPosition = readonly [createdAt: number, id: string];

/** Newest first. */
export function listRuns(tx: Tx, org: string, filter: RunFilter, slice: Slice<RunPosition>): Promise<Found<RunRow, RunPosition>> {
  const where = new Where()
    .and('r.org = ?', org)
    .filter('r.automation = ?', filter.automation)
    .filter('r.state = ?', filter.state)
    .filter('r.cause = ?', filter.cause)
    .filter('r.conversation = ?', filter.conversation)
    .filter('r.subject = ?', filter.subject)
    .filter('r.created_at >= ?', filter.since);
  if (slice.after) where.and('(r.created_at, r.id) < (?, ?)', ...slice.after);
  const order = 'r.created_at desc, r.id desc';
  return findSlice(tx, { select: 'select r.* from runs r', where, order }, slice, (row: RunRow): RunPosition => [row.created_at, row.id]);
}

export interface RunLoad {
  readonly queued: number;
  readonly live: number;
}

/** Runs that wait, and runs that are begun, over all organisations. */
export async function readRunLoad(tx: Tx): Promise<RunLoad> {
  const counted = async (states: readonly string[]) =>
    (await first<{ count: number }>(tx, `select count(*) as count from runs where state in (${quoted(states)})`))?.count ?? 0;
  return { queued: await counted(run.sources('claim')), live: await counted(WORKED_ON) };
}

/** The run of a token that it may report with; null: of none. */
export function runOfSecret(tx: Tx, hash: Buffer): Promise<{ id: string } | null> {
  return first(tx, 'select id from runs where secret_hash = ?', [hash]);
}

/** Ended runs with their logs, so long after their end; of one that lives nothing grows old. */
export async function pruneRuns(tx: Tx, olderThan: number, limit: number): Promise<{ count: number; isDone: boolean }> {
  const rows = await tx.all<{ id: string }>('select id from runs where ended_at is not null and ended_at < ? order by ended_at limit ?', [
    olderThan,
    limit,
  ]);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) {
    await tx.run(`delete from run_logs where run ${tx.dialect.among('text')}`, [ids]);
    await tx.run(`delete from runs where id ${tx.dialect.among('text')}`, [ids]);
  }
  return { count: ids.length, isDone: ids.length < limit };
}
