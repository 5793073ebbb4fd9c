import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sqliteMigrations } from '../../src/database/migrations/sqlite/index.js';
import { folderWith } from '../config/config-folder.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { type Called, call } from './call.js';

const ALL = sqliteMigrations.map(({ name }) => name);
const lines = (word: string, names: readonly string[]): string => names.map((name) => `${word} ${name}\n`).join('');

eachDatabase('throughline migrate', (make) => {
  let test: TestDatabase;
  const migrate = (...args: string[]): Promise<Called> =>
    call(folderWith({}), ['migrate', ...args], { env: { THROUGHLINE_DATABASE__URL: test.url } });

  beforeEach(async () => {
    test = await make();
  });
  afterEach(() => test.drop());

  it('brings the schema up once, tells its state, and takes it back with --yes', async () => {
    expect(await migrate('up')).toEqual({ code: 0, stdout: lines('applied ', ALL), stderr: '' });
    expect((await migrate('up')).stdout).toBe('the schema is up to date; nothing to do\n');
    expect((await migrate('status')).stdout).toBe(lines('applied ', ALL));
    const newest = ALL.slice(-1);
    expect(await migrate('down', '--yes')).toEqual({ code: 0, stdout: lines('reverted', newest), stderr: '' });
    expect((await migrate('status')).stdout).toBe(lines('applied ', ALL.slice(0, -1)) + lines('pending ', newest));
  });

  it('takes nothing back without --yes', async () => {
    await migrate('up');
    const { code, stderr } = await migrate('down');
    expect([code, stderr]).toEqual([2, expect.stringContaining('make a backup, then add --yes')]);
    expect((await migrate('status')).stdout).toBe(lines('applied ', ALL));
  });
});

describe('throughline migrate', () => {
  it('tells the state of a SQLite file that is not there without making it', async () => {
    const cwd = folderWith({});
    const { code, stdout } = await call(cwd, ['migrate', 'status']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('data/throughline.db does not exist yet')]);
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });

  it('ends with 1 and without the password when PostgreSQL cannot be reached', async () => {
    const env = { THROUGHLINE_DATABASE__URL: 'postgresql://me:hunter2@127.0.0.1:1/events' };
    const { code, stderr } = await call(folderWith({}), ['migrate', 'up'], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('the database postgresql://me@127.0.0.1:1/events cannot be used now')]);
    expect(stderr).not.toContain('hunter2');
  });
});
