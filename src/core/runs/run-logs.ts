import type { Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';

export interface LogEntry {
  readonly kind: 'phase' | 'stdout' | 'stderr' | 'note';
  readonly body: string;
}

export interface LogRow extends LogEntry {
  readonly number: number;
  readonly at: number;
}

export type LogPosition = readonly [number: number];

/** Adds to the log of a run whose row the transaction has written or locked. */
export async function insertLogs(tx: Tx, run: string, entries: readonly LogEntry[]): Promise<void> {
  for (const { kind, body } of entries)
    await tx.run(
      `insert into run_logs (run, number, at, kind, body)
       select ?, coalesce(max(number), 0) + 1, ${tx.dialect.now}, ?, ? from run_logs where run = ?`,
      [run, kind, body, run],
    );
}

/** In the order in which they were written. */
export function listLogs(tx: Tx, run: string, kind: string | undefined, slice: Slice<LogPosition>): Promise<Found<LogRow, LogPosition>> {
  const where = new Where().and('l.run = ?', run).filter('l.kind = ?', kind);
  if (slice.after) where.and('l.number > ?', ...slice.after);
  const select = 'select l.number, l.at, l.kind, l.body from run_logs l';
  return findSlice(tx, { select, where, order: 'l.number' }, slice, (row: LogRow): LogPosition => [row.number]);
}

/** All that was written of a phase, oldest first. */
export function phasesOf(tx: Tx, run: string): Promise<{ body: string; at: number }[]> {
  return tx.all("select body, at from run_logs where run = ? and kind = 'phase' order by number", [run]);
}
