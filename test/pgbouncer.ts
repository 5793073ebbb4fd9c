import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect as dial } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { it } from '@jest/globals';

const program = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin']
  .map((folder) => path.join(folder, 'pgbouncer'))
  .find(existsSync);

/**
 * A test that needs PgBouncer. Where checks are made for others (`CI` is set) its absence is a failure; on a machine of one's own the test
 * is reported as not run, with the sentence that says why.
 */
export function pooledTest(title: string, work: () => Promise<void>, timeoutMs: number): void {
  if (program !== undefined) it(title, work, timeoutMs);
  else if (process.env.CI === 'true')
    it(title, () => {
      throw new Error('PgBouncer is not installed, and this has to be checked: apt-get install pgbouncer');
    });
  else it.skip(`${title} (not run: PgBouncer is not installed; apt-get install pgbouncer)`, work, timeoutMs);
}

/** A PgBouncer of the test's own, in transaction mode, before one database. */
export class PgBouncer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** `size`: connections to PostgreSQL at the most. */
  static async before(target: string, size: number): Promise<PgBouncer> {
    const { hostname, port, username, password, pathname } = new URL(target);
    const name = pathname.slice(1);
    const folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-pgbouncer-'));
    chmodSync(folder, 0o755);
    const own = await freePort();
    const settings = {
      ...{ listen_addr: '127.0.0.1', listen_port: own, unix_socket_dir: '', auth_type: 'any', pool_mode: 'transaction' },
      ...{ default_pool_size: size, max_client_conn: 200, ...(process.getuid?.() === 0 && { user: 'nobody' }) },
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
    const database = `${name} = host=${hostname} port=${port} dbname=${name} user=${username} password=${password}`;
    writeFileSync(path.join(folder, 'pgbouncer.ini'), `[databases]\n${database}\n[pgbouncer]\n${lines.join('\n')}\n`);
    const child = spawn(program ?? 'pgbouncer', [path.join(folder, 'pgbouncer.ini')], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (said += data.toString()));
    const ended = new Promise<never>((_, reject) =>
      child.once('exit', (code) => reject(new Error(`PgBouncer ended with ${code}:\n${said}`))),
    );
    ended.catch(() => undefined);
    await Promise.race([listening(own), ended]);
    return new PgBouncer(`postgresql://${username}:${password}@127.0.0.1:${own}/${name}`, child, folder);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    if (this.child.exitCode === null && this.child.kill('SIGKILL')) await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const answers = await new Promise<boolean>((resolve) => {
      const socket = dial(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (answers) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
