import { marks, type Tx } from '../database/tx.js';

/** Deletes the oldest rows of a table whose ids follow time, up to the first that is young: nothing behind it is looked at. */
export async function pruneByAge(
  tx: Tx,
  of: { readonly table: string; readonly at: string },
  olderThan: number,
  limit: number,
): Promise<{ count: number; isDone: boolean }> {
  const rows = await tx.all<{ id: number; at: number }>(`select id, ${of.at} as at from ${of.table} order by id limit ?`, [limit]);
  const young = rows.findIndex(({ at }) => at >= olderThan);
  const ids = (young < 0 ? rows : rows.slice(0, young)).map(({ id }) => id);
  if (ids.length > 0) await tx.run(`delete from ${of.table} where id in (${marks(ids.length)})`, ids);
  return { count: ids.length, isDone: young >= 0 || rows.length < limit };
}
