import { createHash } from 'node:crypto';
import { encodeList, listTypes } from './postgresql-list.js';
import {
  type Columns,
  type ColumnType,
  type Dialect,
  type FaultKind,
  type Insertion,
  isList,
  type Plans,
  type Row,
  type Scalar,
  type Tx,
  textOnce,
  type Value,
} from './tx.js';

/** The part of node-postgres' pool that is used; the pool itself is MikroORM's. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

export interface PostgresClient {
  query(
    config: string | { text: string; values: readonly Value[]; types: TypeParsers; name?: string },
  ): Promise<{ rows: unknown[]; rowCount: number | null }>;
  release(error?: boolean): void;
  /** Its socket. */
  readonly connection?: { readonly stream?: { cork?(): void; uncork?(): void } };
  /** The server process that it was told to be connected to; a pooler in between makes one up. */
  readonly processID: number | null;
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown;
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown;
}

export interface TypeParsers {
  getTypeParser(oid: number): (text: string) => unknown;
}

const INT8 = 20;
const INT4 = 23;
const INT2 = 21;
const FLOAT8 = 701;
const BYTEA = 17;
const NUMBERS = new Set([INT8, INT4, INT2, FLOAT8]);

/** Numbers as numbers (a count or an instant fits in 53 bits), bytes as buffers, everything else as text. */
export const types: TypeParsers = {
  getTypeParser: (oid) => {
    if (NUMBERS.has(oid)) return Number;
    return oid === BYTEA ? (text) => Buffer.from(text.slice(2), 'hex') : (text) => text;
  },
};

/** A statement that was prepared is not there, or is there already, as behind a pooler; or a migration has changed what it gives. */
const NOT_PREPARED = new Set(['26000', '42P05', '0A000']);
const RETRY = new Set(['40001', '40P01', '55P03', ...NOT_PREPARED]);
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)/;
const LOST = /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/;

export const postgresqlDialect: Dialect = {
  name: 'postgresql',
  // A subselect: one instant for all rows of a statement, and one that an index can be asked for.
  now: '(select (extract(epoch from clock_timestamp()) * 1000)::bigint)',
  forUpdate: ' for update',
  forUpdateSkipLocked: ' for update skip locked',
  prefixOfQueue: `cross join lateral (
    select x.* from deliveries x where x.conversation = q.conversation and x.sequence >= q.head and x.state <> 'completed' order by x.sequence limit ?) d`,
  among: (type) => `= any(?::${type}[])`,
  given: (name, columns, rows) => ({
    sql: `unnest(${Object.values(columns)
      .map((type) => `?::${type}[]`)
      .join(', ')}) as ${name}(${Object.keys(columns).join(', ')})`,
    values: columnsOf(columns, rows),
  }),
  fault(error: unknown): FaultKind {
    const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
    if (typeof code === 'string') {
      if (RETRY.has(code)) return 'retry';
      if (NETWORK.test(code) || /^(08|53|57P|58)/.test(code) || code === '57014') return 'unavailable';
      if (/^23/.test(code)) return 'constraint';
      if (/^(22|54)/.test(code)) return 'invalid';
    }
    return typeof message === 'string' && LOST.test(message) ? 'unavailable' : 'other';
  },
};

/** `set local` ends with the transaction, so a transaction-mode pooler may stand in between. */
const FREE = "begin; set local statement_timeout = '15s'; set local idle_in_transaction_session_timeout = '30s'";
const BEGIN: Readonly<Record<Plans, string>> = {
  free: FREE,
  by_index: `${FREE}; set local enable_seqscan = off; set local enable_bitmapscan = off; set local plan_cache_mode = force_generic_plan`,
};

export class PostgresStore {
  private readonly statements = new Statements();

  constructor(private readonly pool: PostgresPool) {}

  async transaction<T>(work: (tx: Tx) => Promise<T>, plans: Plans): Promise<T> {
    const client = await this.pool.connect();
    let broken = false;
    try {
      sendTogether(client);
      const begun = client.query(BEGIN[plans]);
      const result = await work(transactionOn(client, begun, this.statements));
      await begun;
      await client.query('commit');
      return result;
    } catch (error) {
      // Whatever cannot be rolled back is thrown away with its connection.
      broken = !(await client.query('rollback').then(
        () => true,
        () => false,
      ));
      if (NOT_PREPARED.has(codeOf(error))) {
        this.statements.distrust(codeOf(error));
        broken = true;
      }
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/**
 * What is only read may be on its way before the answer to `begin`: outside of a transaction it would have changed nothing. Statements
 * that do not wait for each other go out together.
 */
function transactionOn(client: PostgresClient, begun: Promise<unknown>, statements: Statements): Tx {
  let hasBegun = false;
  begun.then(
    () => {
      hasBegun = true;
    },
    () => undefined,
  );
  const query = async (sql: string, values: readonly Value[]) => {
    if (!hasBegun && !sql.startsWith('select')) await begun;
    sendTogether(client);
    return client.query({ ...statements.of(sql, values), types });
  };
  return {
    dialect: postgresqlDialect,
    all: async <Row>(sql: string, values: readonly Value[] = []) => (await query(sql, values)).rows as Row[],
    run: async (sql: string, values: readonly Value[] = []) => (await query(sql, values)).rowCount ?? 0,
    insert: async <Returned>(insertion: Insertion, rows: readonly Row[]) => {
      if (rows.length === 0) return [];
      return (await query(insertionText(insertion), columnsOf(insertion.columns, rows))).rows as Returned[];
    },
  };
}

const gathering = new WeakSet<PostgresClient>();

/** What is asked in one turn of the event loop goes out in one write: each costs the system as much as a short statement. */
function sendTogether(client: PostgresClient): void {
  const stream = client.connection?.stream;
  if (!stream?.cork || gathering.has(client)) return;
  gathering.add(client);
  stream.cork();
  process.nextTick(() => {
    gathering.delete(client);
    stream.uncork?.();
  });
}

const MOST_NAMES = 200;
const MOST_TEXTS = 1000;
const OFTEN = 5;

interface Statement {
  readonly text: string;
  readonly lists: readonly (ColumnType | null)[];
  asked: number;
  name: string | null;
}

/** The texts of statements as PostgreSQL reads them; those that are asked for often get a name, under which a connection keeps its plan. */
class Statements {
  private readonly known = new Map<string, Statement>();
  private named = 0;
  private isNaming = true;
  private generation = 0;

  of(sql: string, given: readonly Value[]): { text: string; values: readonly Value[]; name?: string } {
    const statement = this.known.get(sql) ?? this.learn(sql);
    statement.asked++;
    if (statement.name === null && this.isNaming && statement.asked > OFTEN && this.named < MOST_NAMES) {
      this.named++;
      statement.name = `t${this.generation}_${createHash('sha256').update(statement.text).digest('hex').slice(0, 24)}`;
    }
    const { text, lists, name } = statement;
    const values = given.map((value, i) => encoded(value, lists[i] ?? null));
    return name === null ? { text, values } : { text, values, name };
  }

  /** A pooler gives out connections that others have prepared; of a changed schema other plans are made, under other names. */
  distrust(code: string): void {
    if (code !== CHANGED) this.isNaming = false;
    this.generation++;
    this.named = 0;
    this.known.clear();
  }

  private learn(sql: string): Statement {
    if (this.known.size >= MOST_TEXTS) this.forgetUnnamed();
    const statement: Statement = { text: numbered(sql), lists: listTypes(sql), asked: 0, name: null };
    this.known.set(sql, statement);
    return statement;
  }

  private forgetUnnamed(): void {
    for (const [sql, { name }] of this.known) if (name === null) this.known.delete(sql);
  }
}

/** `?` as `$1`, `$2`, …; our statements hold no literal question mark. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}

function encoded(value: Value, type: ColumnType | null): Value {
  return type === null || !isList(value) ? value : (encodeList(type, value) ?? value);
}

const CHANGED = '0A000';

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}

const insertionText = textOnce((insertion) => {
  const { table, columns, stamped, ending = '' } = insertion;
  const names = Object.keys(columns);
  const lists = names.map((name) => `?::${columns[name]}[]`);
  return `insert into ${table} (${[...names, ...(stamped ? [stamped] : [])].join(', ')})
    select ${[...names.map((name) => `g.${name}`), ...(stamped ? [postgresqlDialect.now] : [])].join(', ')}
    from unnest(${lists.join(', ')}) as g(${names.join(', ')}) ${ending}`;
});

function columnsOf(columns: Columns, rows: readonly Row[]): Scalar[][] {
  return Object.keys(columns).map((_, i) => column(rows, i));
}

function column(rows: readonly Row[], index: number): Scalar[] {
  return rows.map((row) => row[index] ?? null);
}
