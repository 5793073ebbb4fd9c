import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from '@jest/globals';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { ServerProcess, until } from './server-process.js';

const PLUGIN = fileURLToPath(new URL('./plugins/told.mjs', import.meta.url));
const AGENT = fileURLToPath(new URL('./agents/logging.mjs', import.meta.url));
const SUBJECTS = 6;

eachDatabase('ends of conversations', (make) => {
  let server: ServerProcess;
  let database: TestDatabase;

  afterEach(async () => {
    await server.remove();
    await database.drop();
  });

  const post = async (event: string, key: string, id: string) => {
    const response = await fetch(`${server.url}/v1/events/default/told`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-secret': 'a secret of the tests alone', 'x-delivery': id },
      body: JSON.stringify({ event, key, second: 10 }),
    });
    return ((await response.json()) as { disposition: string }).disposition;
  };

  const told = () => (existsSync(path.join(server.folder, 'told.log')) ? server.read('told.log').trim().split('\n') : []);
  const folders = () => {
    // Data lie beside the database's file, where there is one.
    const data = database.url.startsWith('sqlite:') ? path.dirname(database.url.slice('sqlite:'.length)) : path.join(server.folder, 'data');
    const all = path.join(data, 'workspaces');
    return existsSync(all) ? readdirSync(all) : [];
  };

  it('TRM-3 REC-1 a server that is killed while it settles settles after its start, and leaves neither agents nor empty folders', async () => {
    database = await make();
    server = new ServerProcess({
      database: { url: database.url },
      plugins: [PLUGIN],
      connections: { told: { plugin: 'told', secret: 'a secret of the tests alone' } },
      workers: { concurrency: 8, lease: '3s', heartbeat: '1s' },
      runtimes: { agent: { kind: 'process', command: [process.execPath, AGENT, path.join('..', '..', '..', 'handled.log'), '600000'] } },
      workspaces: { main: { runtime: 'agent' } },
      routes: { all: { connection: 'told', workspace: 'main' } },
    });
    await server.start();
    const keys = Array.from({ length: SUBJECTS }, (_, i) => `T-${i}`);
    for (const key of keys) expect(await post('said', key, `said-${key}`)).toBe('routed');
    await until(() => folders().length === SUBJECTS);
    writeFileSync(path.join(server.folder, 'stuck'), '');
    for (const key of keys) expect(await post('closed', key, `closed-${key}`)).toBe('lifecycle');
    // A server that lost its lease meanwhile, on a machine that is busy with other things, begins again.
    const distinct = () => [...new Set(told())].toSorted();
    await until(() => distinct().length === SUBJECTS);
    await server.end('SIGKILL');
    expect(distinct()).toEqual(keys.map((key) => `begun closed-${key} ${key} true`));

    rmSync(path.join(server.folder, 'stuck'));
    await server.start();
    const done = () => told().filter((line) => line.startsWith('done'));
    await until(() => done().length === SUBJECTS && folders().length === 0);
    expect(done().toSorted()).toEqual(keys.map((key) => `done closed-${key} ${key} true`));
    expect(await server.end('SIGTERM')).toBe(0);
    expect(existsSync(path.join(server.folder, 'handled.log'))).toBe(false);
    const store = await database.open();
    const left = await store.transaction((tx) =>
      tx.all("select kind, state from jobs where state <> 'done' union all select kind, state from deliveries where state <> 'completed'"),
    );
    await store.close();
    expect(left).toEqual([]);
  }, 120_000);
});
