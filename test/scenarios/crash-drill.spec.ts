import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from '@jest/globals';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { type Answer, comment, ServerProcess, until } from './server-process.js';

const AGENT = fileURLToPath(new URL('./agents/logging.mjs', import.meta.url));
const SUBJECTS = 20;
const EACH = 10;
const WORKERS = 8;

eachDatabase('the crash drill', (make) => {
  let server: ServerProcess;
  let database: TestDatabase;

  afterEach(async () => {
    await server.remove();
    await database.drop();
  });

  it('REC-3 ACC-2 FIF-4 B61 loses nothing, disorders nothing and repeats at most what was running when it is killed', async () => {
    database = await make();
    server = new ServerProcess({
      database: { url: database.url },
      workers: { concurrency: WORKERS, lease: '3s', heartbeat: '1s' },
      runtimes: { agent: { kind: 'process', command: [process.execPath, AGENT, 'handled.log', '300'], cwd: '.' } },
      workspaces: { main: { runtime: 'agent' } },
      routes: { comments: { connection: 'gh', workspace: 'main' } },
    });
    await server.start();
    const first = await sendAll(server.url);
    expect(first.map(({ status, body }) => [status, body.duplicate, body.disposition])).toEqual(first.map(() => [200, false, 'routed']));
    await delay(700);
    await server.end('SIGKILL');

    await server.start();
    const again = await sendAll(server.url);
    expect(again.every(({ status, body }) => status === 200 && body.duplicate)).toBe(true);
    expect(again.map(({ body }) => body.deliveries)).toEqual(first.map(({ body }) => body.deliveries));
    await until(() => new Set(handled(server).map(({ line }) => line)).size === SUBJECTS * EACH);
    expect(await server.end('SIGTERM')).toBe(0);

    const log = handled(server);
    // A turn takes up to twenty messages of one conversation.
    const repeated = log.length - SUBJECTS * EACH;
    expect(repeated).toBeLessThanOrEqual(WORKERS * EACH);
    for (const [conversation, lines] of Map.groupBy(log, (each) => each.conversation)) {
      const sequences = [...new Set(lines.map(({ sequence }) => sequence))];
      expect([conversation, sequences]).toEqual([conversation, Array.from({ length: EACH }, (_, i) => i + 1)]);
    }
    expect(new Set(log.map(({ conversation }) => conversation)).size).toBe(SUBJECTS);
  }, 120_000);
});

function sendAll(url: string): Promise<Answer[]> {
  const all = Array.from({ length: SUBJECTS * EACH }, (_, i) => [100 + (i % SUBJECTS), Math.floor(i / SUBJECTS)] as const);
  return Promise.all(all.map(([issue, n]) => comment(url, issue, n)));
}

function handled(server: ServerProcess): { conversation: string; sequence: number; line: string }[] {
  const lines = existing(server);
  return lines.map((each) => {
    const [conversation = '', sequence = ''] = each.split(' ');
    return { conversation, sequence: Number(sequence), line: `${conversation} ${sequence}` };
  });
}

function existing(server: ServerProcess): string[] {
  try {
    return server.read(path.join('.', 'handled.log')).trim().split('\n');
  } catch {
    return [];
  }
}
