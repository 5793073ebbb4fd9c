import { globSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { lives } from '../runtimes/turns.js';
import { comment, ServerProcess, until } from './server-process.js';

const INTERRUPTED = /An earlier try of this turn was interrupted/;
/** Of the server's folder, in which agents work here. */
const ENV = { HOME: '.', GO: 'go', AGENT_LOG: 'agent.log' };

function fake(file: string): string[] {
  return [process.execPath, fileURLToPath(new URL(`../fakes/${file}`, import.meta.url))];
}

eachDatabase('an agent whose server is killed', (make) => {
  let server: ServerProcess;
  let database: TestDatabase;

  beforeEach(async () => {
    database = await make();
  });
  afterEach(async () => {
    await server.remove();
    await database.drop();
  });

  const begin = async (runtime: object) => {
    server = new ServerProcess({
      database: { url: database.url },
      workers: { lease: '3s', heartbeat: '1s' },
      runtimes: { agent: { ...runtime, env: ENV } },
      workspaces: { main: { runtime: 'agent', directory: '.' } },
      routes: { comments: { connection: 'gh', workspace: 'main' } },
    });
    await server.start();
  };

  const rows = async (sql: string) => {
    const store = await database.open();
    return store.transaction((tx) => tx.all<Record<string, unknown>>(sql)).finally(() => store.close());
  };

  const send = async (n: number, text: string) =>
    expect((await comment(server.url, 1, n, `delivery-${n}`, text)).body.disposition).toBe('routed');

  const lines = (file: string) => {
    if (globSync(file, { cwd: server.folder }).length === 0) return [];
    return server.read(file).trim().split('\n');
  };

  /** Kills the server, of whose agent the process goes on, and starts it anew; resolves when nothing is open. */
  const killAndRestart = async () => {
    const [turn] = await rows("select process_id from turns where state = 'active'");
    const agent = Number(turn?.['process_id']);
    await server.end('SIGKILL');
    expect(await lives(agent)).toBe(true);
    await server.start();
    await until(async () => (await rows('select process_id from turns')).some(({ process_id: id }) => id !== null && Number(id) !== agent));
    expect(await lives(agent)).toBe(false);
    writeFileSync(path.join(server.folder, 'go'), '');
    await until(async () => (await rows("select 1 from deliveries where state <> 'completed'")).length === 0);
  };

  it('REC-1 FIF-8 is ended before its turn is repeated, in its session, with the message that it was given while it worked', async () => {
    await begin({ kind: 'process', preset: 'claude-code', command: fake('agents/claude.mjs') });
    await send(1, '!hold');
    await until(() => lines('taken.log').length === 1);
    await send(2, '!say two');
    await until(() => lines('taken.log').length === 2);
    await killAndRestart();
    const starts = lines('starts.log').map((line) => (JSON.parse(line) as string[]).slice(-2));
    const [[, session] = []] = starts;
    expect(starts).toEqual([
      ['--session-id', session],
      ['--resume', session],
    ]);
    const [, second, ...repeated] = lines('taken.log').map((line) => JSON.parse(line) as string);
    expect(second).toContain('!say two');
    // One message more where the second one was no part of the claim yet.
    expect(repeated.join('').match(/!hold/g)).toHaveLength(1);
    expect(repeated.join('').match(/!say two/g)).toHaveLength(1);
    expect(repeated[0]).toMatch(INTERRUPTED);
    expect(await rows("select state from turns where state = 'done'")).toHaveLength(1);
  }, 40_000);

  it('REC-1 REC-3 of acp takes its session up again, is given the turn once more, and what waited once', async () => {
    await begin({ kind: 'acp', command: [...fake('acp-agent.mjs'), '--undying'] });
    await send(1, '!hold');
    const said = () => globSync('**/session-*.json', { cwd: server.folder }).flatMap((file) => JSON.parse(server.read(file)) as string[]);
    await until(() => said().length === 1);
    await send(2, '!say two');
    await killAndRestart();
    const log = lines('agent.log').filter((line) => /^(new|load) /.test(line));
    const [, session] = log[0]?.split(' ') ?? [];
    expect(log).toEqual([`new ${session}`, `load ${session}`]);
    const [first, again, ...others] = said();
    expect([first, again]).toEqual([expect.not.stringMatching(INTERRUPTED), expect.stringMatching(INTERRUPTED)]);
    expect([again, ...others].join('').match(/!say two/g)).toHaveLength(1);
    expect([again, ...others].join('').match(/!hold/g)).toHaveLength(1);
  }, 40_000);
});
