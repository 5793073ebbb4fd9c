import { pageOf, sliceOf } from './cursor.js';
import type { Page, PageQuery } from './page.js';

/** Lists out of the configuration do not change while the server runs, so a place in them is a cursor. */
export function configured<Row, Item>(rows: readonly Row[], query: PageQuery, view: (row: Row) => Item): Page<Item> {
  const { after, limit } = sliceOf(query, ['number']);
  const from = Math.max(after?.[0] ?? 0, 0);
  const to = from + limit;
  return pageOf({ rows: rows.slice(from, to), next: to < rows.length ? [to] : null }, view);
}
