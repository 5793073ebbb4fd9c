import type { Tx, Value } from '../database/tx.js';

/** Which part of a list is asked for: at most `limit` rows after a position, or from the beginning. */
export interface Slice<Position> {
  readonly after: Position | null;
  readonly limit: number;
}

export interface Found<Row, Position> {
  readonly rows: readonly Row[];
  /** Where the list goes on; null: this was its end. */
  readonly next: Position | null;
}

/** The conditions of a list, each with its values. */
export class Where {
  private readonly parts: string[] = [];
  readonly values: Value[] = [];

  and(sql: string, ...values: readonly Value[]): this {
    this.parts.push(sql);
    this.values.push(...values);
    return this;
  }

  /** Nothing when the filter was not given. */
  filter(sql: string, value: Value | undefined): this {
    return value === undefined ? this : this.and(sql, value);
  }

  get sql(): string {
    return this.parts.length === 0 ? '' : `where ${this.parts.join(' and ')}`;
  }
}

/** Reads one row more than asked for: only that says whether the list goes on. */
export async function findSlice<Row, Position>(
  tx: Tx,
  query: { readonly select: string; readonly where: Where; readonly order: string },
  slice: Slice<Position>,
  positionOf: (row: Row) => Position,
): Promise<Found<Row, Position>> {
  const rows = await tx.all<Row>(`${query.select} ${query.where.sql} order by ${query.order} limit ?`, [
    ...query.where.values,
    slice.limit + 1,
  ]);
  const shown = rows.slice(0, slice.limit);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > slice.limit && last !== undefined ? positionOf(last) : null };
}

/**
 * A search looks at so many receipts, or conversations, at a time, newest first. What a filter leaves of them may be nothing, and the
 * list goes on all the same: a search of years must not hold the database for as long as it takes.
 */
export const WINDOW = 20_000;

/** The receipts that one slice looks at: ids below `before`, from `from` on. */
export async function ledgerWindow(tx: Tx, before: number | null): Promise<{ before: number; from: number }> {
  if (before !== null) return { before, from: before - WINDOW };
  const [row] = await tx.all<{ newest: number | null }>('select max(id) as newest from receipts');
  const next = (row?.newest ?? 0) + 1;
  return { before: next, from: next - WINDOW };
}
