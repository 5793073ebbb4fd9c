import { afterEach, describe, expect } from '@jest/globals';
import { enlist } from '../../src/core/replicas/replicas.js';
import { migrateUp } from '../../src/database/migrate.js';
import { Notifications } from '../../src/database/notifications.js';
import { openDatabase } from '../../src/database/open-database.js';
import { comment as event, route } from '../core/builders.js';
import { Core, replica } from '../core/core.js';
import { brokenRules } from '../core/invariants.js';
import { postgresDatabase, type TestDatabase } from '../databases.js';
import { PgBouncer, pooledTest } from '../pgbouncer.js';
import { ask, replicaProcess, rowsOf, TOKEN } from './replica-processes.js';
import { comment, type ServerProcess, until } from './server-process.js';

const ENV = { THROUGHLINE_ADMIN_TOKEN: TOKEN };
const LONG_MS = 180_000;

describe('behind a PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let bouncer: PgBouncer;
  const servers: ServerProcess[] = [];

  const prepare = async (size: number) => {
    database = await postgresDatabase();
    bouncer = await PgBouncer.before(database.url, size);
  };

  const start = async (options: Partial<Parameters<typeof replicaProcess>[0]>) => {
    const server = replicaProcess({ url: bouncer.url, ...options });
    servers.push(server);
    await server.start(ENV);
    return server;
  };

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.remove()));
    await bouncer?.stop();
    await database?.drop();
  });

  pooledTest(
    'ING-10 the store migrates, accepts, claims and finalizes, eight at a time, and hears nothing through it',
    async () => {
      await prepare(4);
      const store = await openDatabase({ url: bouncer.url, poolSize: 8 });
      try {
        await migrateUp(store);
        const owner = await store.transaction((tx) => enlist(tx, replica('pooled'), 600_000));
        const core = new Core(store, database, owner, [route()]);
        await Promise.all(Array.from({ length: 200 }, (_, i) => core.admit(event(`T-${i % 20}`, `message ${i}`))));
        const claims = (await Promise.all(Array.from({ length: 8 }, () => core.claim({ limit: 5, coalesce: () => 3 })))).flat();
        expect(new Set(claims.map(({ conversation }) => conversation)).size).toBe(claims.length);
        expect((await Promise.all(claims.map((claim) => core.finish(claim)))).every((result) => result === 'ended')).toBe(true);
        for (let claim = await core.claim(); claim.length > 0; claim = await core.claim())
          for (const each of claim) await core.finish(each);
        expect(await core.rows('select state, count(*) as count from deliveries group by state')).toEqual([
          { state: 'completed', count: 200 },
        ]);
        expect(await brokenRules(store)).toEqual([]);
      } finally {
        await store.close();
      }
      const { promise: pooled, resolve, reject } = Promise.withResolvers<void>();
      const unexpected = () => reject(new Error('it should have noticed the pooler'));
      const notifications = new Notifications(bouncer.url, {
        message: unexpected,
        connected: unexpected,
        lost: unexpected,
        pooled: resolve,
      });
      notifications.start();
      await pooled.finally(() => notifications.close());
    },
    LONG_MS,
  );

  pooledTest(
    'ING-10 TRN-6 two servers share the work; a stop on one ends a turn on the other; both hear past it',
    async () => {
      await prepare(3);
      const directUrl = database.url;
      const [accepting, working] = await Promise.all([
        start({ directUrl, pool: 2, concurrency: 0 }),
        start({ directUrl, pool: 2, runtime: { kind: 'echo', delay: '10m' } }),
      ]);
      await until(() => [accepting, working].every(({ said }) => said.includes('hears from other replicas at once')));
      const { body } = await comment(accepting.url, 1, 1);
      const conversation = body.deliveries[0]?.conversation ?? '';
      const running = () => rowsOf<{ owner: number }>(directUrl, 'select owner from queues where owner is not null');
      await until(async () => (await running()).length === 1);
      expect((await ask(accepting, 'POST', `/v1/conversations/${conversation}/stop`)).status).toBe(200);
      await until(() => working.said.includes(`${conversation}: the claim (token 1) was taken away`));
      const [delivery] = await rowsOf<{ outcome: string }>(directUrl, 'select outcome from deliveries');
      expect(delivery).toEqual({ outcome: 'interrupted' });
    },
    LONG_MS,
  );

  pooledTest(
    'ING-10 a pool of two makes progress with fifty conversations whose turns are long, without any direct address',
    async () => {
      await prepare(2);
      const server = await start({ pool: 2, concurrency: 50, runtime: { kind: 'echo', delay: '8s' } });
      expect(server.said).not.toContain('hears from other replicas at once');
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => comment(server.url, 100 + i, 1)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const count = async (where: string) =>
        (await rowsOf<{ count: number }>(database.url, `select count(*) as count from queues where ${where}`))[0]?.count;
      await until(async () => (await count('owner is not null')) === 50);
      // No turn holds a connection while it runs: everybody else is still served.
      expect((await comment(server.url, 900, 1)).status).toBe(200);
      expect((await ask(server, 'GET', '/v1/conversations')).status).toBe(200);
      await until(async () => (await count('open > 0')) === 0);
      expect(await rowsOf(database.url, 'select outcome, count(*) as count from deliveries group by outcome')).toEqual([
        { outcome: 'done', count: 51 },
      ]);
      await until(() => server.said.includes('leads through a pooler'));
      expect(await server.end('SIGTERM')).toBe(0);
    },
    LONG_MS,
  );
});
