// Fills a database with conversations whose deliveries are all completed, as if it had been used for long. Every row is a copy of a real
// one, column by column as the tables have them, with identities of its own.
import Sqlite from 'better-sqlite3';
import { onPostgres } from './databases.mjs';

const CHUNK = 20_000;
const SQLITE_SETTINGS = ['journal_mode = wal', 'synchronous = off', 'cache_size = -262144'];

/**
 * What is different in a copy, by table and column; the rest is the pattern's. `n` is the number of the row, `d` the dialect.
 * Tables of the first group have a row a conversation, those of the second a row a delivery.
 */
const PER_CONVERSATION = {
  subjects: () => ({ key: `'fill#' || n` }),
  conversations: (d) => ({ id: d.conversation('n'), key: `'fill#' || n`, folder: `'fill-' || n` }),
  queues: (d) => ({ conversation: d.conversation('n'), next_sequence: 'each + 1', head: 'each + 1', token: 'each' }),
};
const PER_DELIVERY = {
  receipts: (d) => ({
    id: 'first + n',
    delivery_id: `'fill-' || n`,
    identity: d.hash('t.identity', 'n'),
    digest: d.hash('t.digest', '-n'),
    content_hash: d.hash('t.content_hash', 'n'),
  }),
  decisions: () => ({ receipt: 'first + n' }),
  deliveries: (d) => ({ conversation: d.conversation('c'), sequence: 's', receipt: 'first + n', message_key: `'fill:' || n` }),
  turns: (d) => ({ conversation: d.conversation('c'), token: 's', from_sequence: 's', to_sequence: 's' }),
  transcripts: (d) => ({ conversation: d.conversation('c'), token: 's' }),
};

/** The rows that are copied: all about the first delivery of one conversation that is done. */
const PATTERN = {
  subjects: '(t.namespace, t.key) = (select namespace, key from conversations where id = $done)',
  conversations: 't.id = $done',
  queues: 't.conversation = $done',
  receipts: 't.id = $receipt',
  decisions: 't.receipt = $receipt',
  deliveries: 't.conversation = $done and t.sequence = 1',
  turns: 't.conversation = $done and t.token = 1',
  transcripts: 't.conversation = $done and t.token = 1',
};

const sqliteDialect = {
  conversation: (n) => `printf('%08x-0000-5000-8000-%012x', (${n}) * 2654435761 & 4294967295, ${n})`,
  hash: (pattern) => `randomblob(length(${pattern}))`,
  overriding: '',
};
const postgresDialect = {
  conversation: (n) => `md5('fill' || ${n})::uuid`,
  hash: (pattern, n) => `substring(decode(md5('a' || ${n}) || md5('b' || ${n}), 'hex') for octet_length(${pattern}))`,
  overriding: 'overriding system value',
};

/** `completed` deliveries of so many `conversations`, beside what is there. There has to be a conversation that is done. */
export async function fill(database, scale) {
  if (database.kind === 'sqlite') return fillSqlite(database.url.slice('sqlite:'.length), scale);
  await onPostgres(database.url, (client) => fillPostgres(client, scale));
}

async function fillSqlite(file, scale) {
  const connection = new Sqlite(file);
  for (const setting of SQLITE_SETTINGS) connection.pragma(setting);
  const all = async (sql) => connection.prepare(sql).all();
  const columnsOf = async (table) => connection.pragma(`table_info(${table})`).map(({ name }) => name);
  for await (const sql of statements(all, columnsOf, sqliteDialect, scale)) connection.exec(sql);
  connection.pragma('wal_checkpoint(truncate)');
  connection.close();
}

async function fillPostgres(client, scale) {
  const all = async (sql) => (await client.query(sql)).rows;
  const columnsOf = async (table) =>
    (await all(`select column_name as name from information_schema.columns where table_name = '${table}'`)).map(({ name }) => name);
  await client.query('set synchronous_commit = off');
  for await (const sql of statements(all, columnsOf, postgresDialect, scale)) await client.query(sql);
  await client.query(`select setval(pg_get_serial_sequence('receipts', 'id'), (select max(id) from receipts))`);
  await client.query('vacuum analyze');
}

async function* statements(all, columnsOf, dialect, { completed, conversations }) {
  const [{ done, receipt, first }] = await all(`
    select d.conversation as done, d.receipt as receipt, (select max(id) from receipts) as first
    from deliveries d join queues q on q.conversation = d.conversation
    where d.sequence = 1 and d.state = 'completed' and q.open = 0 order by d.receipt limit 1`);
  const each = Math.floor(completed / conversations);
  const names = { done: `'${done}'`, receipt, first, each };
  for (const [tables, rows] of [
    [PER_CONVERSATION, conversations],
    [PER_DELIVERY, each * conversations],
  ])
    for (const [table, changes] of Object.entries(tables)) {
      const copy = copyOf(table, await columnsOf(table), changes(dialect), dialect, names);
      for (let from = 1; from <= rows; from += CHUNK) yield copy(from, Math.min(rows, from + CHUNK - 1));
    }
}

function copyOf(table, columns, changes, dialect, { done, receipt, first, each }) {
  const values = columns.map((column) => {
    const changed = changes[column];
    return changed === undefined ? `t.${column}` : changed.replace('first', first).replaceAll('each', each);
  });
  const pattern = PATTERN[table].replaceAll('$done', done).replaceAll('$receipt', receipt);
  return (from, to) => `
    with recursive numbers(n) as (select ${from} union all select n + 1 from numbers where n < ${to}),
      places as (select n, (n - 1) / ${each} + 1 as c, (n - 1) % ${each} + 1 as s from numbers)
    insert into ${table} (${columns.join(', ')}) ${dialect.overriding} select ${values.join(', ')} from places, ${table} t where ${pattern}`;
}
