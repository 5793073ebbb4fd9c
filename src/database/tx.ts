/**
 * `by_index`: every statement finds its rows by an index, whatever the planner knows of the tables. Its plans are kept, and those that were
 * made while a table was small, or for a short queue, would cost more and more.
 */
export type Plans = 'free' | 'by_index';

/** What a statement takes and gives: instants are whole milliseconds, truth values 0 and 1, so that both databases say the same. */
export type Value = Scalar | readonly Scalar[];
export type Scalar = string | number | null | Buffer;

export function isList(value: Value): value is readonly Scalar[] {
  return Array.isArray(value);
}

/** What a column of a list or of given rows holds. */
export type ColumnType = 'uuid' | 'text' | 'bigint' | 'integer' | 'smallint' | 'double precision' | 'bytea';
export type Columns = Readonly<Record<string, ColumnType>>;
export type Row = readonly Scalar[];

/** An insert of any number of rows, in their order. */
export interface Insertion {
  readonly table: string;
  readonly columns: Columns;
  /** A further column, which gets the database's clock. */
  readonly stamped?: string;
  /** `on conflict …` and `returning …`. */
  readonly ending?: string;
}

/** An open transaction. Statements are written with `?`, in the SQL that both databases share. */
export interface Tx {
  readonly dialect: Dialect;
  /** The rows that the statement returns. */
  all<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /** How many rows the statement changed. */
  run(sql: string, values?: readonly Value[]): Promise<number>;
  /** Inserts the rows in their order; what the insertion returns. */
  insert<Returned>(insertion: Insertion, rows: readonly Row[]): Promise<Returned[]>;
}

/** The first row, or null. */
export async function first<Row>(tx: Tx, sql: string, values?: readonly Value[]): Promise<Row | null> {
  const [row] = await tx.all<Row>(sql, values);
  return row ?? null;
}

/** The database's own clock, in milliseconds. */
export async function clock(tx: Tx): Promise<number> {
  const row = await first<{ now: number }>(tx, `select ${tx.dialect.now} as now`);
  return row?.now ?? Number.NaN;
}

/** `(?, ?), (?, ?)` for an insert of many rows. */
export function tuples(rows: number, columns: number): string {
  return Array<string>(rows)
    .fill(`(${marks(columns)})`)
    .join(', ');
}

/** SQLite binds 32,766 values in a statement and PostgreSQL 65,535; an `or` of 1,000 terms is too deep for SQLite. */
const MOST_VALUES = 32_000;
const MOST_TERMS = 400;

/** The rows in their order, in parts that one statement can take; `columns` is how many values each row binds. */
export function inChunks<Row>(rows: readonly Row[], columns: number): Row[][] {
  return parts(rows, Math.floor(MOST_VALUES / columns));
}

/** The rows in their order, in parts that may each be a term of one `or`. */
export function inTerms<Row>(rows: readonly Row[]): Row[][] {
  return parts(rows, MOST_TERMS);
}

function parts<Row>(rows: readonly Row[], size: number): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size));
}

/** `?, ?, ?` for a list. */
export function marks(count: number): string {
  return Array<string>(count).fill('?').join(', ');
}

/** What a failed statement means for whoever asked. */
export type FaultKind =
  /** Another transaction was in the way: the same work may be tried again. */
  | 'retry'
  /** The database cannot be reached or cannot write now (down, disk full, locked). */
  | 'unavailable'
  /** The values were refused, as too big or out of range: the same work would fail again. */
  | 'invalid'
  /** A rule of the schema was broken, which the code should have kept. */
  | 'constraint'
  | 'other';

/** The work itself is at fault, and what came together with it would do without it. */
export function isRefused(fault: FaultKind): boolean {
  return fault === 'invalid' || fault === 'constraint';
}

/** What the two databases do not say alike. Everything else is one statement for both. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgresql';
  /** SQL for the database's own clock, in milliseconds. */
  readonly now: string;
  /** Ends a select that locks its rows, in the order of its `order by`; nothing where one writer holds the whole file. */
  readonly forUpdate: string;
  readonly forUpdateSkipLocked: string;
  /** A from-item that gives, for each conversation of `queues q`, its first open deliveries as `d`; one `?` for how many. */
  readonly prefixOfQueue: string;
  /** Follows an expression that is to be one of a list; the list is the value of its one `?`. */
  among(type: ColumnType): string;
  /** A from-item of rows that come with the statement, and what its `?`s stand for. No `bytea`. */
  given(name: string, columns: Columns, rows: readonly Row[]): { readonly sql: string; readonly values: Value[] };
  fault(error: unknown): FaultKind;
}

/** The text that `make` gives, made once for each insertion. */
export function textOnce(make: (insertion: Insertion) => string): (insertion: Insertion) => string {
  const made = new WeakMap<Insertion, string>();
  return (insertion) => {
    const text = made.get(insertion) ?? make(insertion);
    made.set(insertion, text);
    return text;
  };
}
