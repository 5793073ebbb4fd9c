import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { migrateUp } from '../../src/database/migrate.js';
import { postgresDatabase, type TestDatabase } from '../databases.js';

const OFTEN = 10;

let test: TestDatabase;
let database: Database;

beforeEach(async () => {
  test = await postgresDatabase();
  database = await test.open();
  await migrateUp(database);
});

afterEach(async () => {
  await database.close();
  await test.drop();
});

async function askOften(): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let i = 0; i < OFTEN; i++)
    answers.push(await database.transaction((tx) => tx.all('select * from sweeps where kind = ? order by kind', ['asked'])));
  return answers;
}

const names = () =>
  database.transaction((tx) => tx.all<{ name: string }>("select name from pg_prepared_statements where statement like '%from sweeps%'"));

it('prepares on PostgreSQL what is asked for often, once', async () => {
  await askOften();
  expect(await names()).toHaveLength(1);
});

it("ING-10 goes on behind a pooler that gives out connections on which nothing, or another one's, was prepared", async () => {
  await askOften();
  await database.transaction((tx) => tx.run('deallocate all'));
  expect(await askOften()).toEqual(Array(OFTEN).fill([]));
  expect(await names()).toEqual([]);
});

it('REC-4 goes on when a migration of a newer replica has changed what a prepared statement gives', async () => {
  await askOften();
  const other = await test.open();
  await other.transaction((tx) => tx.run('alter table sweeps add column of_a_newer_version text'));
  await askOften();
  await database.transaction((tx) => tx.run("insert into sweeps (kind, position, next_at, pruned) values ('asked', 0, 0, 0)"));
  const answers = await askOften();
  expect(answers.at(-1)).toEqual([{ kind: 'asked', position: 0, next_at: 0, pruned: 0, of_a_newer_version: null }]);
  expect(await names()).toHaveLength(1);
  await other.close();
});
