import { expect, it } from '@jest/globals';
import pg from 'pg';
import { postgresqlDialect } from '../../src/database/postgresql.js';
import { encodeList, listTypes } from '../../src/database/postgresql-list.js';
import type { ColumnType, Scalar } from '../../src/database/tx.js';
import { eachDatabase, migrated } from '../databases.js';

const UUID = '00112233-4455-6677-8899-aabbccddeeff';
const LISTS: readonly (readonly [ColumnType, readonly Scalar[]])[] = [
  ['text', ['', 'plain', 'a "quoted" \\ one, {with} everything', 'ünïcödé 𝄞', null, 'NULL', '\n\t']],
  ['uuid', [UUID, null, UUID.toUpperCase()]],
  ['bigint', [0, -0, 1, -1, 2 ** 32, -(2 ** 32), 2 ** 31, 1_795_000_000_123, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null]],
  ['integer', [0, 2 ** 31 - 1, -(2 ** 31), null]],
  ['smallint', [0, 32_767, -32_768, null]],
  ['double precision', [0.1, -1e300, Number.NaN, Number.POSITIVE_INFINITY, null]],
  ['bytea', [Buffer.alloc(0), Buffer.from([0, 1, 255]), null]],
];

eachDatabase('lists of a statement', (make) => {
  it.each(LISTS)('of %s arrive as they were given', async (type, list) => {
    const { database, test, close } = await migrated(make);
    if (test.name === 'postgresql') {
      const client = new pg.Client({ connectionString: test.url });
      await client.connect();
      // The driver's own text of them is what ours are held against.
      const { rows: expected } = await client.query(`select $1::${type}[]::text as list`, [list]);
      const rows = await database.transaction((tx) => tx.all(`select ?::${type}[]::text as list`, [list]));
      expect(rows).toEqual(expected);
      await client.end();
    }
    const empty = await database.transaction((tx) => tx.all(`select 1 as one where 'x' ${tx.dialect.among('text')}`, [[]]));
    expect(empty).toEqual([]);
    await close();
  });

  it('refuse what is not of their type, in the words of the database', async () => {
    const { database, test, close } = await migrated(make);
    if (test.name === 'postgresql') {
      const asked = (sql: string, list: readonly Scalar[]) => database.transaction((tx) => tx.all(sql, [list]));
      const kind = (error: unknown) => postgresqlDialect.fault(error);
      await expect(asked('select ?::uuid[]', ['no uuid']).catch((error) => Promise.reject(kind(error)))).rejects.toBe('invalid');
      await expect(asked('select ?::integer[]', [2 ** 31]).catch((error) => Promise.reject(kind(error)))).rejects.toBe('invalid');
      await expect(asked('select ?::bigint[]', [0.5]).catch((error) => Promise.reject(kind(error)))).rejects.toBe('invalid');
      await expect(asked('select ?::text[]', ['a\u0000b']).catch((error) => Promise.reject(kind(error)))).rejects.toBe('invalid');
    }
    await close();
  });
});

it('is written as bytes only where all of it is of its type', () => {
  expect(encodeList('bigint', [1, null])).not.toBeNull();
  for (const [type, value] of [
    ['uuid', 'x'],
    ['bigint', 1.5],
    ['integer', 2 ** 31],
    ['text', 1],
    ['bytea', 'x'],
  ] as const)
    expect(encodeList(type, [value])).toBeNull();
});

it('knows the types of a statement by its casts', () => {
  expect(listTypes('select ? where a = any(?::uuid[]) and b = ?::bigint and c in (select * from unnest(?::double precision[]))')).toEqual([
    ...[null, 'uuid', null, 'double precision'],
  ]);
});
