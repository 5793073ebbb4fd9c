import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { postgresDatabase, type TestDatabase } from '../databases.js';
import { replicaProcess, rowsOf, TOKEN } from './replica-processes.js';
import { type Answer, comment, type ServerProcess, until } from './server-process.js';

const AGENT = fileURLToPath(new URL('./agents/logging.mjs', import.meta.url));
const ENV = { THROUGHLINE_ADMIN_TOKEN: TOKEN };
const LONG_MS = 240_000;
const MINUTES = 60_000;

/** Node's options for a process whose own clock is off. */
function skewedBy(ms: number): string[] {
  const code = `const Real = Date; const now = Real.now;
    globalThis.Date = class extends Real { constructor(...given) { given.length === 0 ? super(now() + ${ms}) : super(...given); } static now() { return now() + ${ms}; } };`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

describe('two replicas on one PostgreSQL', () => {
  let database: TestDatabase;
  const servers: ServerProcess[] = [];

  const start = async (options: { log?: string; delayMs?: number; concurrency?: number; node?: string[] }) => {
    const { log, delayMs = 200, concurrency = 4, node = [] } = options;
    const runtime =
      log === undefined ? { kind: 'echo' } : { kind: 'process', command: [process.execPath, AGENT, log, String(delayMs)], cwd: '.' };
    const server = replicaProcess({ url: database.url, concurrency, runtime, lease: '4s', heartbeat: '1s' });
    servers.push(server);
    await server.start(ENV, node);
    return server;
  };

  afterEach(async () => {
    for (const server of servers) server.signal('SIGCONT');
    await Promise.all(servers.splice(0).map((server) => server.remove()));
    await database?.drop();
  });

  const isDone = async (count: number) => {
    const [row] = await rowsOf<{ count: number }>(database.url, "select count(*) as count from deliveries where outcome = 'done'");
    return row?.count === count;
  };

  /** Each conversation's turns one after the other, its deliveries in order, each done by one turn. */
  const expectOrder = async () => {
    const turns = await rowsOf<{ conversation: string; from_sequence: number; to_sequence: number; started_at: number; ended_at: number }>(
      database.url,
      "select conversation, from_sequence, to_sequence, started_at, ended_at from turns where state = 'done' order by conversation, token",
    );
    for (const [conversation, own] of Map.groupBy(turns, (turn) => turn.conversation)) {
      const covered = own.flatMap(({ from_sequence: from, to_sequence: to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
      expect([conversation, covered]).toEqual([conversation, covered.map((_, i) => i + 1)]);
      expect(own.every((turn, i) => i === 0 || turn.started_at >= (own[i - 1]?.ended_at ?? 0))).toBe(true);
    }
  };

  const send = (to: readonly ServerProcess[], subjects: number, each: number): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: subjects }, async (_, subject) => {
        const answers: Answer[] = [];
        for (let n = 1; n <= each; n++) answers.push(await comment(to[(subject + n) % to.length]?.url ?? '', 100 + subject, n));
        return answers;
      }),
    ).then((all) => all.flat());

  it(
    'REC-2 REC-3 FIF-4 kill -9 of one: the other takes over within the lease, in order, and nothing is lost or done twice',
    async () => {
      database = await postgresDatabase();
      const [dying, living] = await Promise.all([start({ log: 'a.log', delayMs: 1500 }), start({ log: 'b.log', delayMs: 100 })]);
      const answers = await send([dying, living], 8, 3);
      expect(answers.filter(({ status, body }) => status !== 200 || body.duplicate)).toEqual([]);
      await until(async () => (await rowsOf(database.url, 'select 1 from queues q join replicas r on r.id = q.owner')).length > 0);
      await dying.end('SIGKILL');
      await until(() => isDone(24));
      await expectOrder();
      const again = await send([living], 8, 3);
      expect(again.filter(({ body }) => !body.duplicate)).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'REC-2 TRN-9 a replica that is stopped for longer than its lease and goes on finds itself superseded and changes nothing',
    async () => {
      database = await postgresDatabase();
      const [stopped, living] = await Promise.all([start({ log: 'a.log', delayMs: 2500 }), start({ log: 'b.log', concurrency: 0 })]);
      await send([living], 3, 1);
      await until(async () => (await rowsOf(database.url, 'select 1 from queues where owner is not null')).length === 3);
      stopped.signal('SIGSTOP');
      const rescuer = await start({ log: 'c.log', delayMs: 50 });
      await until(() => isDone(3));
      const before = await rowsOf(database.url, 'select conversation, token, state, owner from turns order by conversation, token');
      stopped.signal('SIGCONT');
      await until(() => stopped.said.includes('was not heard of for a whole lease'));
      await until(async () => (await rowsOf(database.url, 'select 1 from replicas where lease_until > 0')).length === 3);
      expect(await rowsOf(database.url, 'select conversation, token, state, owner from turns order by conversation, token')).toEqual(
        before,
      );
      // It joined anew, and works as before.
      await rescuer.end('SIGTERM');
      await send([stopped], 1, 2);
      await until(() => isDone(4));
      await expectOrder();
    },
    LONG_MS,
  );

  it(
    'REC-2 SIG-3 clocks that are five minutes off, each to another side, change nothing',
    async () => {
      database = await postgresDatabase();
      const pair = await Promise.all([start({ node: skewedBy(5 * MINUTES) }), start({ node: skewedBy(-5 * MINUTES) })]);
      await send(pair, 10, 5);
      await until(() => isDone(50));
      await expectOrder();
      expect(pair.every(({ said }) => said.includes("clock differs from the database's"))).toBe(true);
      expect(pair.some(({ said }) => said.includes('was not heard of for a whole lease'))).toBe(false);
      const [row] = await rowsOf<{ off: number }>(
        database.url,
        'select max(abs(received_at - extract(epoch from clock_timestamp()) * 1000))::bigint as off from receipts',
      );
      expect(row?.off).toBeLessThan(4 * MINUTES);
      for (const server of pair) expect(await server.end('SIGTERM')).toBe(0);
    },
    LONG_MS,
  );

  it(
    'REC-6 SIGTERM lets running turns end, gives the rest to the other, and leaves no claim behind',
    async () => {
      database = await postgresDatabase();
      const [leaving, staying] = await Promise.all([start({ log: 'a.log', delayMs: 1500 }), start({ log: 'b.log', delayMs: 50 })]);
      await send([leaving, staying], 8, 2);
      expect(await leaving.end('SIGTERM')).toBe(0);
      await until(() => isDone(16));
      await expectOrder();
      expect(await rowsOf(database.url, "select 1 from turns where state = 'interrupted'")).toEqual([]);
      expect(await rowsOf(database.url, 'select 1 from replicas')).toHaveLength(1);
    },
    LONG_MS,
  );
});
