import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { lives } from './turns.js';

jest.setTimeout(60_000);

const GUARD = fileURLToPath(new URL('../../src/runtimes/process/orphan-guard.ts', import.meta.url));
const STRIPPING = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning'];
/** A program that neither its closed input nor SIGTERM ends. */
const UNDYING = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdout.write('up\\n')";

/** A server with an agent that it guards; it says the agent's pid. */
const SERVER = `
  import { spawn } from 'node:child_process';
  import { once } from 'node:events';
  const { OrphanGuard } = await import(${JSON.stringify(GUARD)});
  const agent = spawn(process.execPath, ['-e', ${JSON.stringify(UNDYING)}], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  await once(agent.stdout, 'data');
  const guard = new OrphanGuard(agent.pid, 1000);
  console.log(agent.pid);
  process.stdin.once('data', () => {
    guard.release();
    setTimeout(() => console.log('released'), 50);
  });
`;

describe('a guard of an agent that lives between turns', () => {
  const left: number[] = [];
  let server: ChildProcess;

  async function started(): Promise<number> {
    server = spawn(process.execPath, [...STRIPPING, '--input-type=module', '-e', SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
    const pid = Number(await said());
    left.push(pid);
    return pid;
  }
  const said = async () => String((await once(server.stdout ?? server, 'data'))[0]).trim();
  const killed = async () => {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };

  afterEach(() => {
    server.kill('SIGKILL');
    for (const pid of left.splice(0))
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It is gone already.
      }
  });

  it('REC-3 ends the agent when its server is killed, though it heeds neither its closed input nor SIGTERM', async () => {
    const pid = await started();
    expect(await lives(pid)).toBe(true);
    await killed();
    while (await lives(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('leaves alone what it was told to', async () => {
    const pid = await started();
    server.stdin?.write('x\n');
    expect(await said()).toBe('released');
    await killed();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await lives(pid)).toBe(true);
  });
});
