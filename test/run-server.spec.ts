import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { migrateUp } from '../src/database/migrate.js';
import { openDatabase } from '../src/database/open-database.js';
import { runServer } from '../src/run-server.js';

let folder = '';
let said = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-run-'));
  said = '';
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

function run(url: string, settings: object = {}): Promise<number> {
  writeFileSync(path.join(folder, 'throughline.config.yaml'), JSON.stringify({ server: { port: 0 }, database: { url }, ...settings }));
  return runServer({ cwd: folder, env: {} });
}

const inFolder = (name: string) => path.join(folder, name);

function made(name: string, make: (file: string) => void): string {
  make(inFolder(name));
  return inFolder(name);
}

describe('the process of a server', () => {
  it('that is told to stop while it starts, stops in good order as soon as it is up', async () => {
    const ended = run(`sqlite:${inFolder('a.db')}`);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await ended).toBe(0);
    expect(said).toContain('Throughline listens on');
  });

  it('gives its lease and its store back when it cannot work after all', async () => {
    const url = `sqlite:${inFolder('a.db')}`;
    const before = await openDatabase({ url });
    await migrateUp(before);
    await before.transaction((tx) => tx.run('drop table conversations'));
    await before.close();
    expect(await run(url)).toBe(1);
    expect(said).toContain('no such table');
    const after = await openDatabase({ url, server: true });
    expect(await after.transaction((tx) => tx.all('select id from replicas'))).toEqual([]);
    await after.close();
  });

  it('CTL-1 tells at once of every workspace whose channel cannot show threads, and ends with 2', async () => {
    const workspace = (connection: string) => ({ runtime: 'echo', control: { connection, parent: 'C1' } });
    const settings = {
      connections: { chat: { plugin: 'slack', secret: 'a secret' }, code: { plugin: 'github', secret: 'a secret' } },
      runtimes: { echo: { kind: 'echo' } },
      workspaces: { one: workspace('chat'), two: workspace('code') },
    };
    expect(await run(`sqlite:${inFolder('a.db')}`, settings)).toBe(2);
    expect(said).toMatch(/^workspaces\.one\.control\.connection: chat: .*token/m);
    expect(said).toMatch(/^workspaces\.two\.control\.connection: code: .*token/m);
  });

  it.each([
    ['a server that refuses', () => 'postgresql://me:hunter2@127.0.0.1:1/events', 'postgresql://me@127.0.0.1:1/events'],
    ['a folder', () => `sqlite:${made('b.db', (file) => mkdirSync(file))}`, 'is a folder'],
    ['a file of something else', () => `sqlite:${made('c.db', (file) => writeFileSync(file, 'x'.repeat(5_000)))}`, 'not a database'],
    ['a folder that cannot be made', () => 'sqlite:/proc/nope/x.db', 'the folder /proc/nope cannot be made'],
  ])('says in one sentence that its database is %s', async (_name, make, words) => {
    expect(await run(make())).toBe(1);
    expect(said).toMatch(/^database\.url: the database \S+ cannot be used now: .*\n$/);
    expect(said).toContain(words);
    expect(said).not.toContain('hunter2');
    expect(existsSync(inFolder('b.db.server'))).toBe(false);
  });
});
