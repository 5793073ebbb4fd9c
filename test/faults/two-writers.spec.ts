import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { emptyDatabase } from '../databases.js';
import { build } from '../demo/child.js';

const WRITER = fileURLToPath(new URL('./writer.mjs', import.meta.url));
const TIMES = 300;

beforeAll(build, 240_000);

it('B83 two processes that write to one SQLite file read, then write, and none of their transactions is refused or lost', async () => {
  const test = await emptyDatabase('sqlite');
  const database = await test.open();
  try {
    await database.transaction((tx) => tx.run('create table counters (value integer not null)'));
    await database.transaction((tx) => tx.run('insert into counters values (0)'));
    const write = () => promisify(execFile)(process.execPath, [WRITER, test.url, String(TIMES)]);
    const ended = await Promise.all([write(), write()]);
    expect(ended.map(({ stdout }) => stdout)).toEqual([String(TIMES), String(TIMES)]);
    expect(await database.transaction((tx) => tx.all('select value from counters'))).toEqual([{ value: 2 * TIMES }]);
  } finally {
    await database.close();
    await test.drop();
  }
}, 120_000);
