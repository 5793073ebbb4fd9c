import type { Dialect, FaultKind, Tx, Value } from './tx.js';

/** The part of node-postgres' pool that is used; the pool itself is MikroORM's. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

export interface PostgresClient {
  query(
    config: string | { text: string; values: readonly Value[]; types: TypeParsers },
  ): Promise<{ rows: unknown[]; rowCount: number | null }>;
  release(error?: boolean): void;
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

const RETRY = new Set(['40001', '40P01', '55P03']);
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)/;
const LOST = /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

export const postgresqlDialect: Dialect = {
  name: 'postgresql',
  now: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
  forUpdate: ' for update',
  forUpdateSkipLocked: ' for update skip locked',
  prefixOfQueue: `cross join lateral (
    select x.* from deliveries x where x.conversation = q.conversation and x.sequence >= q.head and x.state <> 'completed' order by x.sequence limit ?) d`,
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
const BEGIN = "begin; set local statement_timeout = '15s'; set local idle_in_transaction_session_timeout = '30s'";

export class PostgresStore {
  constructor(private readonly pool: PostgresPool) {}

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken = false;
    try {
      await client.query(BEGIN);
      const result = await work(transactionOn(client));
      await client.query('commit');
      return result;
    } catch (error) {
      // Whatever cannot be rolled back is thrown away with its connection.
      broken = !(await client.query('rollback').then(
        () => true,
        () => false,
      ));
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

function transactionOn(client: PostgresClient): Tx {
  const query = (sql: string, values: readonly Value[]) => client.query({ text: numbered(sql), values, types });
  return {
    dialect: postgresqlDialect,
    all: async <Row>(sql: string, values: readonly Value[] = []) => (await query(sql, values)).rows as Row[],
    run: async (sql: string, values: readonly Value[] = []) => (await query(sql, values)).rowCount ?? 0,
  };
}

const numberedBySql = new Map<string, string>();

/** `?` as `$1`, `$2`, …; our statements hold no literal question mark. */
function numbered(sql: string): string {
  const known = numberedBySql.get(sql);
  if (known) return known;
  let count = 0;
  const text = sql.replaceAll('?', () => `$${++count}`);
  if (numberedBySql.size >= 500) numberedBySql.clear();
  numberedBySql.set(sql, text);
  return text;
}
