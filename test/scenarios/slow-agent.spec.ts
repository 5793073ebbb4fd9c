import { afterEach, expect, it } from '@jest/globals';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { comment, ServerProcess, until } from './server-process.js';

eachDatabase('an agent that takes its time', (make) => {
  let server: ServerProcess;
  let database: TestDatabase;

  afterEach(async () => {
    await server.remove();
    await database.drop();
  });

  it('ING-2 ING-3 REC-6 B10 delays no answer, not even of what it works on, and is left for the next start when the server stops', async () => {
    database = await make();
    server = new ServerProcess({
      database: { url: database.url },
      workers: { concurrency: 1, grace: '200ms' },
      runtimes: { agent: { kind: 'process', command: ['sleep', '600'] } },
      workspaces: { main: { runtime: 'agent' } },
      routes: { comments: { connection: 'gh', workspace: 'main' } },
    });
    const rows = async (sql: string) => {
      const store = await database.open();
      return store.transaction((tx) => tx.all<Record<string, unknown>>(sql)).finally(() => store.close());
    };
    await server.start();
    expect((await comment(server.url, 1, 1)).body.duplicate).toBe(false);
    await until(async () => (await rows("select process_id from turns where state = 'active' and process_id is not null")).length === 1);
    const [turn] = await rows('select process_id from turns');

    const others = await Promise.all(Array.from({ length: 20 }, (_, i) => comment(server.url, 1 + (i % 5), 10 + i)));
    expect(others.map(({ status, body }) => [status, body.duplicate])).toEqual(others.map(() => [200, false]));
    const again = await comment(server.url, 1, 1);
    expect([again.status, again.body.duplicate]).toEqual([200, true]);

    expect(await server.end('SIGTERM')).toBe(0);
    expect(() => process.kill(Number(turn?.process_id), 0)).toThrow('ESRCH');
    expect(await rows('select state, error from turns')).toEqual([{ state: 'interrupted', error: 'the server is stopping' }]);
    expect(await rows("select count(*) as waiting from deliveries where state = 'pending'")).toEqual([{ waiting: 21 }]);
    expect(await rows('select count(*) as owned from queues where owner is not null')).toEqual([{ owned: 0 }]);
  }, 60_000);
});
