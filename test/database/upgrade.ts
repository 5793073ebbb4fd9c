import { readFileSync } from 'node:fs';
import type { Database } from '../../src/database/database.js';
import { clock, type Tx, type Value } from '../../src/database/tx.js';

// What version 0.1.0, whose schema was 0001 alone, wrote and said. Recorded from it once, and never changed.

type Stored = string | number | null | { readonly hex: string };

interface Statement {
  readonly sql: string;
  readonly values: readonly Stored[];
  readonly rows?: readonly Readonly<Record<string, Stored>>[];
  readonly changed?: number;
}

export const FIRST = '0001-initial';

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../fixtures/upgrade/${name}`, import.meta.url), 'utf8'));

/** The statements of accepting, claiming, working, ending, steering: a list of transactions, with what they answered. */
export function oldStatements(dialect: string): readonly (readonly Statement[])[] {
  return read(`0001-statements.${dialect}.json`) as Statement[][];
}

/** Rows in every state that the first version knew, by table. */
export function oldRows(): Readonly<Record<string, readonly Readonly<Record<string, Stored>>[]>> {
  return read('0001-rows.json') as Record<string, Record<string, Stored>[]>;
}

export async function migrateToFirst(database: Database): Promise<void> {
  await database.orm.migrator.up({ to: FIRST });
}

/** As the first version left them when it was killed. */
export async function insertOldRows(database: Database): Promise<void> {
  const isPostgres = database.dialect.name === 'postgresql';
  await database.transaction(async (tx) => {
    for (const [table, rows] of Object.entries(oldRows())) {
      for (const row of rows) {
        const columns = Object.keys(row);
        const overriding = isPostgres ? ' overriding system value' : '';
        await tx.run(
          `insert into ${table} (${columns.join(', ')})${overriding} values (${columns.map(() => '?').join(', ')})`,
          Object.values(row).map(bound),
        );
      }
      if (isPostgres && rows.length > 0 && 'id' in (rows[0] ?? {}) && typeof rows[0]?.id === 'number') await moveSequence(tx, table);
    }
  });
}

/** Says what the first version said, one transaction after the other. Resolves to what is answered otherwise than to it. */
export async function sayOld(database: Database, each: () => void = () => undefined): Promise<string[]> {
  const differences: string[] = [];
  const transactions = oldStatements(database.dialect.name);
  const laterMs = (await database.transaction(clock)) - lastInstant(transactions);
  for (const statements of transactions) {
    each();
    await database.transaction(async (tx) => {
      // One that a migration stood in the way of is run once more, and is to get the numbers that were recorded.
      if (tx.dialect.name === 'postgresql') await moveSequence(tx, 'receipts');
      for (const statement of statements) differences.push(...(await say(tx, statement, laterMs)));
    });
  }
  return differences;
}

/** What was due in a minute then is due in a minute now. */
async function say(tx: Tx, { sql, values, rows, changed }: Statement, laterMs: number): Promise<string[]> {
  const given = values.map(bound).map((value) => (isInstant(value) ? value + laterMs : value));
  const [answer, expected] = rows ? [await tx.all<Record<string, unknown>>(sql, given), rows] : [await tx.run(sql, given), changed];
  const [got, wanted] = [timeless(answer), timeless(expected)];
  return got === wanted ? [] : [`${sql}\n  answered ${got}\n  and not  ${wanted}`];
}

function bound(value: Stored): Value {
  return typeof value === 'object' && value !== null ? Buffer.from(value.hex, 'hex') : value;
}

/** Instants differ between any two runs. */
function timeless(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) => {
    if (isInstant(value)) return 'an instant';
    const bytes = value as { type?: unknown; data?: number[] } | null;
    return bytes?.type === 'Buffer' ? { hex: Buffer.from(bytes.data ?? []).toString('hex') } : value;
  });
}

function isInstant(value: unknown): value is number {
  return typeof value === 'number' && value > 1e12;
}

/** When the recording ended. What was due at once in it is then due at once however quickly it is said again. */
function lastInstant(transactions: readonly (readonly Statement[])[]): number {
  const rows = transactions.flat().flatMap((statement) => statement.rows ?? []);
  return Math.max(...rows.map((row) => row.now).filter(isInstant));
}

async function moveSequence(tx: Tx, table: string): Promise<void> {
  await tx.all(`select setval(pg_get_serial_sequence('${table}', 'id'), (select coalesce(max(id), 0) + 1 from ${table}), false)`);
}
