import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { comment, ServerProcess, until } from './server-process.js';

const WORK = {
  runtimes: { echo: { kind: 'echo' } },
  workspaces: { main: { runtime: 'echo' } },
  routes: { comments: { connection: 'gh', workspace: 'main' } },
};

eachDatabase('a store in trouble', (make) => {
  let server: ServerProcess | undefined;
  let second: ServerProcess | null = null;
  let database: TestDatabase;
  let gate: Gate | null = null;

  afterEach(async () => {
    await server?.remove();
    await second?.remove();
    await gate?.close();
    await database.drop();
    second = null;
    gate = null;
  });

  it('ING-4 ACC-13 answers 503 while it cannot be written, leaves nothing behind, and takes the same event afterwards', async () => {
    database = await make();
    gate = database.name === 'postgresql' ? await Gate.before(new URL(database.url)) : null;
    server = new ServerProcess({ ...WORK, database: { url: gate ? gate.url : database.url } });
    await server.start();
    expect((await comment(server.url, 1, 1)).body.duplicate).toBe(false);

    const mend = gate ? await gate.shut() : lockWrites(database.url);
    const refused = await comment(server.url, 1, 2);
    expect([refused.status, (refused.body as unknown as { code: string }).code]).toEqual([503, 'store_unavailable']);
    await mend();

    await until(async () => (await comment((server as ServerProcess).url, 1, 3)).status === 200);
    const taken = await comment(server.url, 1, 2);
    expect([taken.status, taken.body.duplicate, taken.body.disposition]).toEqual([200, false, 'routed']);
  }, 180_000);

  it('ING-4 takes nothing more for a database file that was deleted, and ends saying so in a sentence', async () => {
    database = await make();
    if (database.name !== 'sqlite') return;
    server = new ServerProcess({ ...WORK, database: { url: database.url } });
    await server.start();
    expect((await comment(server.url, 1, 1)).status).toBe(200);
    rmSync(database.url.slice('sqlite:'.length));
    expect((await comment(server.url, 1, 2)).status).toBe(503);
    expect(await server.end('SIGTERM')).toBe(1);
    expect(server.output).toMatch(/was deleted or replaced while it was open: put the same file back/);
    expect(server.output).not.toMatch(/^ +at /m);
  }, 180_000);

  it('ING-10 refuses a second server on one SQLite file in a sentence, while replicas share PostgreSQL', async () => {
    database = await make();
    server = new ServerProcess({ ...WORK, database: { url: database.url } });
    second = new ServerProcess({ ...WORK, database: { url: database.url } });
    await server.start();
    if (database.name === 'sqlite') {
      await expect(second.start()).rejects.toThrow(/ended with 2:\n.*another Throughline server \(pid \d+\) is using/);
      await server.end('SIGKILL');
      await second.start();
    } else {
      await second.start();
      expect((await comment(server.url, 7, 1)).body.duplicate).toBe(false);
      expect((await comment(second.url, 7, 1)).body.duplicate).toBe(true);
    }
  }, 180_000);
});

/** Holds the write lock of the file, as a stuck backup would, for longer than the server waits. */
function lockWrites(url: string): () => Promise<void> {
  const other = new Sqlite(url.slice('sqlite:'.length));
  other.exec('begin immediate');
  return async () => {
    other.exec('rollback');
    other.close();
  };
}

/** Stands between the server and PostgreSQL, and can break every connection. */
class Gate {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private server: Server,
    private readonly target: URL,
    private readonly port: number,
  ) {}

  static async before(target: URL): Promise<Gate> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const gate = new Gate(server, target, (server.address() as { port: number }).port);
    gate.serve(server);
    return gate;
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String(this.port);
    return url.href;
  }

  async shut(): Promise<() => Promise<void>> {
    await this.close();
    return async () => {
      this.server = createServer().listen(this.port, '127.0.0.1');
      this.serve(this.server);
    };
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private serve(server: Server): void {
    server.on('connection', (near) => {
      const far = connect(Number(this.target.port), this.target.hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(from);
        from.on('error', () => to.destroy()).on('close', () => to.destroy());
        from.pipe(to);
      }
    });
  }
}
