import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { lives } from '../runtimes/turns.js';
import { ACP, Served } from './served.js';

jest.setTimeout(60_000);

const PROGRAM = fileURLToPath(new URL('../../dist/src/cli/throughline.js', import.meta.url));

/** The command, as a process of its own. */
class Process extends Served {
  private child: ChildProcess | null = null;
  private address = '';
  printed = '';

  override get url(): string {
    return this.address;
  }

  override async start(): Promise<this> {
    const child = spawn(process.execPath, [PROGRAM, 'agent-server', '--port', '0', '--dir', this.folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.printed = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (this.printed += String(data)));
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', () => /^listening on \S+\n/m.test(this.printed) && resolve());
      child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${this.printed}`)));
    });
    this.address = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(this.printed)?.[1] ?? '';
    return this;
  }

  async end(signal: NodeJS.Signals): Promise<unknown> {
    const { child } = this;
    this.child = null;
    if (child === null) return null;
    child.kill(signal);
    const [code, by] = await once(child, 'exit');
    return code ?? by;
  }

  override async stop(): Promise<void> {
    await this.end('SIGKILL');
  }
}

const running: Process[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.remove()));
});

describe('throughline agent-server', () => {
  it('REC-1 kill -9 during a turn loses no message, doubles none, and leaves no agent behind', async () => {
    const served = new Process();
    running.push(served);
    await served.start();
    const id = randomUUID();
    const log = path.join(served.folder, 'agent.log');
    const agent = { ...ACP, env: { AGENT_LOG: log } };
    await served.open(id, agent);
    const message = randomUUID();
    await served.say(id, '!say begun\n!hang', { message_id: message });
    await served.rests(id, 'running');
    const pidOf = () => Number(/start (\d+)$/m.exec(existsSync(log) ? readFileSync(log, 'utf8') : '')?.[1] ?? 0);
    while (pidOf() === 0 || !(await lives(pidOf()))) await new Promise((resolve) => setTimeout(resolve, 20));
    const first = pidOf();
    await served.end('SIGKILL');
    await served.start();
    expect(await served.status(id)).toBe('error');
    expect(await lives(first)).toBe(false);
    // The sender repeats what it does not know to have arrived.
    expect((await served.say(id, '!say begun\n!hang', { message_id: message })).body.duplicate).toBe(true);
    await served.rests(id, 'running');
    expect((await served.said(id)).filter((line) => line.startsWith('user'))).toEqual(['user: !say begun\n!hang']);
    expect(await served.end('SIGTERM')).toBe(0);
    await served.start();
    expect(await served.status(id)).toBe('error');
  });

  it('says once where it listens, and what it wants to be told where others reach it', async () => {
    const served = new Process();
    running.push(served);
    await served.start();
    expect(served.printed).toMatch(/nobody is asked for a key: set THROUGHLINE_AGENT_SERVER_KEY/);
    expect(served.printed.match(/listening/g)).toHaveLength(1);
    for (const [args, said] of [
      [['--host', '0.0.0.0'], /lets other machines in: set THROUGHLINE_AGENT_SERVER_KEY/],
      [['--port', 'x'], /--port x is no port/],
    ] as const) {
      const child = spawn(process.execPath, [PROGRAM, 'agent-server', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
      let printed = '';
      child.stderr.on('data', (data: Buffer) => (printed += String(data)));
      expect([(await once(child, 'exit'))[0], printed]).toEqual([2, expect.stringMatching(said)]);
    }
  });
});
