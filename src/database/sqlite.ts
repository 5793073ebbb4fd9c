import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { Dialect, FaultKind, Tx, Value } from './tx.js';

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

/** One connection that one transaction holds at a time; the others wait in the order in which they came. */
export class SqliteStore {
  private tail: Promise<unknown> = Promise.resolve();
  private readonly statements = new Map<string, Sqlite.Statement>();
  private readonly tx: Tx;

  private readonly opened: string;

  constructor(
    private readonly connection: Sqlite.Database,
    private readonly file: string,
  ) {
    this.opened = identityOf(file) ?? '';
    this.tx = {
      dialect: sqliteDialect,
      all: async <Row>(sql: string, values: readonly Value[] = []) => this.statement(sql).all(...values) as Row[],
      run: async (sql: string, values: readonly Value[] = []) => this.statement(sql).run(...values).changes,
    };
  }

  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = this.tail.then(() => this.hold(work));
    this.tail = result.catch(() => undefined);
    return result;
  }

  private async hold<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    await this.begin();
    try {
      this.assertThere();
      const result = await work(this.tx);
      this.assertThere();
      this.connection.exec('commit');
      return result;
    } catch (error) {
      // A full disk has already rolled it back.
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
    if (identityOf(this.file) !== this.opened) throw new FileGone(this.file);
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
  'pragma wal_autocheckpoint = 4000',
  'pragma cache_size = -65536',
];
