import { AsyncLocalStorage } from 'node:async_hooks';
import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { type Dialect, type FaultKind, type Insertion, isList, type Row, type Scalar, type Tx, textOnce, type Value } from './tx.js';

const PATIENCE_MS = 2000;
const PAUSE_MS = 20;
const UNAVAILABLE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PERM|PROTOCOL)/;
const INVALID = /^SQLITE_(MISMATCH|TOOBIG|RANGE)/;
const CONSTRAINT = /^SQLITE_CONSTRAINT/;

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  now: "cast(unixepoch('subsec') * 1000 as integer)",
  forUpdate: '',
  forUpdateSkipLocked: '',
  prefixOfQueue: `join deliveries d on d.conversation = q.conversation and d.sequence in (
    select x.sequence from deliveries x where x.conversation = q.conversation and x.sequence >= q.head and x.state <> 'completed' order by x.sequence limit ?)`,
  among: (type) => `in (select ${type === 'bytea' ? 'unhex(value)' : 'value'} from json_each(?))`,
  given: (name, columns, rows) => ({
    sql: `(select ${Object.keys(columns)
      .map((column, i) => `value ->> ${i} as ${column}`)
      .join(', ')} from json_each(?)) as ${name}`,
    values: [JSON.stringify(rows)],
  }),
  fault(error: unknown): FaultKind {
    const code = (error as { code?: unknown } | null)?.code;
    if (typeof code !== 'string') return 'other';
    if (UNAVAILABLE.test(code)) return 'unavailable';
    if (CONSTRAINT.test(code)) return 'constraint';
    return INVALID.test(code) ? 'invalid' : 'other';
  },
};

/** The open file is not the one that stands under its name any more: what is written to it is lost with this process. */
class FileGone extends Error {
  override readonly name = 'FileGone';
  readonly code = 'SQLITE_CANTOPEN_GONE';

  constructor(file: string) {
    super(
      `the database file ${file} was deleted or replaced while it was open: put the same file back, or restart with the one that is there`,
    );
  }
}

/** A transaction that was asked for. */
interface Asked {
  /** Resolves, when the work has failed, to why. */
  readonly run: () => Promise<{ readonly error: unknown } | null>;
  /** Tells the caller how its work went. */
  readonly answer: () => void;
  readonly reject: (error: unknown) => void;
}

const MOST_TOGETHER = 50;

/**
 * One connection. All that was asked of it in one turn of the event loop is one transaction, one after the other in the order in which
 * it came and each within a savepoint: a commit waits for the disk, whatever it is for.
 */
export class SqliteStore {
  private waiting: Asked[] = [];
  private isDraining = false;
  private readonly statements = new Map<string, Sqlite.Statement>();
  private readonly tx: Tx;

  private readonly opened: string | null;
  private readonly insertionText: (insertion: Insertion) => string;

  /** `file`: null where it is in memory. */
  constructor(
    private readonly connection: Sqlite.Database,
    private readonly file: string | null,
    dialect: Dialect = sqliteDialect,
  ) {
    this.opened = file === null ? null : (identityOf(file) ?? '');
    this.insertionText = textOnce((insertion) => insertionText(insertion, dialect));
    this.tx = {
      dialect,
      all: async <Row>(sql: string, values: readonly Value[] = []) => this.statement(sql).all(...values.map(bound)) as Row[],
      run: async (sql: string, values: readonly Value[] = []) => this.statement(sql).run(...values.map(bound)).changes,
      insert: async <Returned>(insertion: Insertion, rows: readonly Row[]) => this.insert(insertion, rows) as Returned[],
    };
  }

  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push(asked(AsyncLocalStorage.bind(work), this.tx, resolve, reject));
      if (this.isDraining) return;
      this.isDraining = true;
      setImmediate(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    const group = this.waiting.splice(0, MOST_TOGETHER);
    try {
      await this.commit(group);
      for (const { answer } of group) answer();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    if (this.waiting.length === 0) this.isDraining = false;
    else setImmediate(() => void this.drain());
  }

  private async commit(group: readonly Asked[]): Promise<void> {
    await this.begin();
    try {
      this.assertThere();
      for (const { run } of group) {
        this.statement('savepoint work').run();
        const failed = await run();
        // A full disk has already rolled back all of them.
        if (failed && !this.connection.inTransaction) throw failed.error;
        if (failed) this.statement('rollback to work').run();
        this.statement('release work').run();
      }
      this.assertThere();
      this.connection.exec('commit');
    } catch (error) {
      if (this.connection.inTransaction) this.connection.exec('rollback');
      throw error;
    }
  }

  /** Another process may be writing. SQLite would wait for it on this very thread, so it is asked often and shortly instead. */
  private async begin(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        this.connection.exec('begin immediate');
        return;
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || performance.now() > deadline) throw error;
        await delay(PAUSE_MS);
      }
    }
  }

  /** What is written to a file without a name would be answered for, and be gone with the process. */
  private assertThere(): void {
    if (this.file !== null && identityOf(this.file) !== this.opened) throw new FileGone(this.file);
  }

  private insert(insertion: Insertion, rows: readonly Row[]): unknown[] {
    const statement = this.statement(this.insertionText(insertion));
    if (statement.reader) return rows.flatMap((row) => statement.all(...row));
    for (const row of rows) statement.run(...row);
    return [];
  }

  private statement(sql: string): Sqlite.Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    if (this.statements.size >= 500) this.statements.clear();
    const prepared = this.connection.prepare(sql);
    this.statements.set(sql, prepared);
    return prepared;
  }
}

function asked<T>(work: (tx: Tx) => Promise<T>, tx: Tx, resolve: (result: T) => void, reject: (error: unknown) => void): Asked {
  let answer = () => {};
  const run = async () => {
    try {
      const result = await work(tx);
      answer = () => resolve(result);
      return null;
    } catch (error) {
      answer = () => reject(error);
      return { error };
    }
  };
  return { run, answer: () => answer(), reject };
}

/** Of one row: it is run as often as there are rows. */
function insertionText({ table, columns, stamped, ending = '' }: Insertion, { now }: Dialect): string {
  const names = Object.keys(columns);
  const marks = names.map(() => '?').join(', ');
  return `insert into ${table} (${[...names, ...(stamped ? [stamped] : [])].join(', ')}) values (${marks}${stamped ? `, ${now}` : ''}) ${ending}`;
}

/** A list goes as JSON, in which there are no bytes. */
function bound(value: Value): Scalar {
  if (!isList(value)) return value;
  return JSON.stringify(value.map((each) => (Buffer.isBuffer(each) ? each.toString('hex') : each)));
}

/** Tells a file from another one of the same name; null: there is none. */
function identityOf(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

/** What every connection to a database file must be told. */
export const SQLITE_SETTINGS = [
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma busy_timeout = 50',
  'pragma foreign_keys = on',
  'pragma wal_autocheckpoint = 10000',
  'pragma cache_size = -4096',
];
