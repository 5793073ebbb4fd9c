import { marks, type Tx } from '../../database/tx.js';

/**
 * Forgets what ends left to do, so long after it was done or overtaken. An end is recorded once, so nothing puts it down again; of a job
 * that is not done nothing grows old.
 */
export async function pruneJobs(tx: Tx, olderThan: number, limit: number): Promise<{ count: number; isDone: boolean }> {
  const rows = await tx.all<{ id: number }>('select id from jobs where ended_at < ? order by ended_at limit ?', [olderThan, limit]);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await tx.run(`delete from jobs where id in (${marks(ids.length)})`, ids);
  return { count: ids.length, isDone: ids.length < limit };
}
