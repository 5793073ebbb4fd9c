import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { migrateDown, migrateUp, schemaStatus } from '../../src/database/migrate.js';
import { postgresqlMigrations } from '../../src/database/migrations/postgresql/index.js';
import { sqliteMigrations } from '../../src/database/migrations/sqlite/index.js';
import { ConfigFault } from '../../src/plugin/index.js';
import { comment, event, lifecycle, opened, route } from '../core/builders.js';
import { Core } from '../core/core.js';
import { eachDatabase, type TestDatabase } from '../databases.js';

const ALL = sqliteMigrations.map(({ name }) => name);

it('has the same migrations for both databases, in the order of their numbers', () => {
  expect(postgresqlMigrations.map(({ name }) => name)).toEqual(ALL);
  expect(ALL.toSorted()).toEqual(ALL);
});

eachDatabase('the database', (make) => {
  let test: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    test = await make();
    database = await test.open();
  });

  afterEach(async () => {
    await database.close();
    await test.drop();
  });

  it('migrates up, down and up again, and says where it stands', async () => {
    expect(await schemaStatus(database)).toEqual({ applied: [], pending: ALL, unknown: [] });
    expect(await migrateUp(database)).toEqual(ALL);
    expect(await migrateUp(database)).toEqual([]);
    for (const name of ALL.toReversed()) expect(await migrateDown(database)).toBe(name);
    expect(await migrateDown(database)).toBeNull();
    expect(await migrateUp(database)).toEqual(ALL);
    expect(await schemaStatus(database)).toEqual({ applied: ALL, pending: [], unknown: [] });
  });

  it('REC-4 ACC-5 what routes kept before the schema knew of it can be admitted afterwards', async () => {
    await migrateUp(database);
    const core = new Core(database, test, 0, [
      route({ activation: 'on_demand' }),
      route({ name: 'second', scope: 'automation', activation: 'on_demand' }),
      route({ name: 'third' }),
    ]);
    const kept = await core.admit(comment('T-1', 'an event with \u0000 and "on_demand" in it'));
    await new Core(database, test, 0, [route()]).admit(comment('T-1', 'not kept'));
    await core.admit(event(lifecycle('T-2', opened(1))));
    while ((await migrateDown(database)) !== '0008-kept');
    await migrateUp(database);
    expect(await core.rows('select org, route, receipt from kept_events order by route')).toEqual([
      { org: 'default', route: 'second', receipt: Number(kept.receipt) },
      { org: 'default', route: 'triage', receipt: Number(kept.receipt) },
    ]);
  });

  it('REC-4 refuses a schema that a newer version wrote, in one sentence', async () => {
    await migrateUp(database);
    await database.transaction((tx) =>
      tx.run("insert into schema_migrations (name, executed_at) values ('0999-from-the-future', current_timestamp)"),
    );
    await expect(migrateUp(database)).rejects.toThrow(ConfigFault);
    await expect(migrateUp(database)).rejects.toThrow(/newer version of Throughline \(0999-from-the-future\)/);
  });

  it('rolls everything back when the work throws, and takes the next transaction', async () => {
    await migrateUp(database);
    const insert = 'insert into receipt_repeats (receipt, duplicates, conflicts, last_at) values (?, 1, 0, 1)';
    await expect(
      database.transaction(async (tx) => {
        await tx.run(insert, [1]);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await database.transaction((tx) => tx.run(insert, [2]));
    const rows = await database.transaction((tx) => tx.all<{ receipt: number }>('select receipt from receipt_repeats'));
    expect(rows).toEqual([{ receipt: 2 }]);
  });

  it('ACC-13 what fails beside others that were asked for together takes nothing of theirs with it', async () => {
    await migrateUp(database);
    const insert = 'insert into receipt_repeats (receipt, duplicates, conflicts, last_at) values (?, 1, 0, 1)';
    const add = (receipt: number, then = () => {}) =>
      database.transaction(async (tx) => {
        await tx.run(insert, [receipt]);
        then();
        return receipt;
      });
    const mind = () => {
      throw new Error('changed my mind');
    };
    const results = await Promise.allSettled([add(1), add(2, mind), add(3), add(1), add(4)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
    const rows = await database.transaction((tx) => tx.all<{ receipt: number }>('select receipt from receipt_repeats order by receipt'));
    expect(rows.map(({ receipt }) => receipt)).toEqual([1, 3, 4]);
  });

  it('writes many rows and looks for lists of them as they were, whatever is in them', async () => {
    await migrateUp(database);
    const said = ['plain', '"quoted", \\ and {braced}', 'NULL', '', 'ümläut 🎉\n', null];
    const id = '00000000-0000-5000-8000-000000000000';
    const columns = { conversation: 'uuid', noted_at: 'bigint', noted_by: 'text', kind: 'text', reason: 'text' } as const;
    const bytes = [Buffer.from([0, 255]), Buffer.alloc(0), Buffer.from('conversation')];
    const found = await database.transaction(async (tx) => {
      await tx.insert(
        { table: 'notes', columns },
        said.map((reason, at) => [id, at, 'test', 'reset', reason]),
      );
      await tx.insert(
        {
          table: 'receipt_conflicts',
          columns: { receipt: 'bigint', content_hash: 'bytea', payload_size: 'integer', count: 'integer', first_at: 'bigint' },
          stamped: 'last_at',
        },
        bytes.map((hash, i) => [i, hash, 0, 1, 1]),
      );
      const given = tx.dialect.given(
        'g',
        { at: 'bigint', why: 'text' },
        said.map((reason, at) => [at, reason]),
      );
      const same = `from notes join ${given.sql} on noted_at = g.at and (reason = g.why or (reason is null and g.why is null))`;
      return {
        same: await tx.all(`select reason ${same} order by noted_at`, given.values),
        among: await tx.all(`select noted_at from notes where reason ${tx.dialect.among('text')} order by noted_at`, [
          ['', 'NULL', 'none'],
        ]),
        bytes: await tx.all(`select receipt from receipt_conflicts where content_hash ${tx.dialect.among('bytea')} order by receipt`, [
          bytes,
        ]),
      };
    });
    expect(found.same).toEqual(said.map((reason) => ({ reason })));
    expect(found.among).toEqual([{ noted_at: 2 }, { noted_at: 3 }]);
    expect(found.bytes).toEqual([{ receipt: 0 }, { receipt: 1 }, { receipt: 2 }]);
  });

  it('refuses a transaction inside a transaction, which would wait for itself or read outside', async () => {
    await expect(database.transaction(() => database.transaction(async () => 1))).rejects.toThrow('pass its tx on');
  });

  it('keeps numbers, text and bytes as they were, and reads its own clock in milliseconds', async () => {
    const [row] = await database.transaction((tx) =>
      tx.all<Record<string, unknown>>(
        `select ${tx.dialect.now} as now, cast(? as ${tx.dialect.name === 'sqlite' ? 'blob' : 'bytea'}) as bytes`,
        [Buffer.from([0, 255, 65])],
      ),
    );
    expect(Math.abs(Number(row?.now) - Date.now())).toBeLessThan(60_000);
    expect(row?.bytes).toEqual(Buffer.from([0, 255, 65]));
  });

  it('lets many migrations start at once: one does it, all find it done', async () => {
    const others = await Promise.all([1, 2, 3].map(() => test.open()));
    await Promise.all(others.map(migrateUp));
    expect((await schemaStatus(database)).pending).toEqual([]);
    await Promise.all(others.map((other) => other.close()));
  });
});
