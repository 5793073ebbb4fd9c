import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { migrateUp } from '../../src/database/migrate.js';
import { openDatabase } from '../../src/database/open-database.js';

let folder: string;
let file: string;
let database: Database;

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-file-'));
  file = path.join(folder, 'test.db');
  database = await openDatabase({ url: `sqlite:${file}` });
  await migrateUp(database);
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const INSERT = "insert into tokens (org, name, role, hash, created_at) values ('default', 'n', 'viewer', ?, 1)";
const write = (value: string) => database.transaction((tx) => tx.run(INSERT, [Buffer.from(value)]));

async function faultOf(work: Promise<unknown>): Promise<{ fault: string; message: string }> {
  const error = await work.then(
    () => new Error('it was written'),
    (thrown: Error) => thrown,
  );
  return { fault: database.dialect.fault(error), message: error.message };
}

it('ING-4 a database file that was deleted takes no more writes, and says why', async () => {
  await write('first');
  rmSync(file);
  expect(await faultOf(write('second'))).toEqual({
    fault: 'unavailable',
    message: expect.stringContaining(`${file} was deleted or replaced`),
  });
});

it('ING-4 nor does one that another file took the place of, until the same one is back', async () => {
  await write('first');
  renameSync(file, `${file}.away`);
  copyFileSync(`${file}.away`, file);
  expect(await faultOf(write('second'))).toMatchObject({ fault: 'unavailable' });
  renameSync(`${file}.away`, file);
  expect(await write('third')).toBe(1);
  const rows = await database.transaction((tx) => tx.all<{ hash: Buffer }>('select hash from tokens order by id'));
  expect(rows.map(({ hash }) => hash.toString())).toEqual(['first', 'third']);
});

it('ING-4 a file that goes away in the middle of a transaction is answered for to nobody', async () => {
  const work = database.transaction(async (tx) => {
    await tx.run(INSERT, [Buffer.from('lost')]);
    rmSync(file);
  });
  expect(await faultOf(work)).toMatchObject({ fault: 'unavailable' });
});

it('a broken rule of the schema is no fault of the values that were sent', async () => {
  await write('twice');
  expect(await faultOf(write('twice'))).toMatchObject({ fault: 'constraint' });
});
