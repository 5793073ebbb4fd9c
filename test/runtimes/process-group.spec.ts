import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import { killProcessGroup } from '../../src/runtimes/process/process-group.js';
import { processIdentity } from '../../src/runtimes/process/process-identity.js';
import { lives } from './turns.js';

// Each test starts processes, which takes its time on a busy machine.
jest.setTimeout(60_000);

const MARK = { THROUGHLINE_TURN_ID: 't-1' };

/** A group of a leader and a child, both of which ignore SIGTERM; resolves to their pids and the leader's identity. */
async function group(env: object): Promise<{ leader: number; member: number; startedAt: string }> {
  const member = "process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)";
  const source = `process.on('SIGTERM', () => {}); require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(member)}], { stdio: 'inherit' }); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ['-e', source], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { pid = 0 } = child;
  return { leader: pid, member: Number(line), startedAt: (await processIdentity(pid)) ?? '' };
}

describe('a process group that survived its server', () => {
  it('REC-1 is ended when it is the one that was recorded', async () => {
    const { leader, member, startedAt } = await group({});
    expect(await killProcessGroup(leader, startedAt, 50)).toBe('killed');
    expect([await lives(leader), await lives(member)]).toEqual([false, false]);
    expect(await killProcessGroup(leader, startedAt, 50)).toBe('gone');
  });

  it('REC-1 is left alone when the pid belongs to a later process', async () => {
    const { leader, member, startedAt } = await group(MARK);
    expect(await killProcessGroup(leader, `0${startedAt}`, 50)).toBe('other');
    expect([await lives(leader), await lives(member)]).toEqual([true, true]);
    expect(await killProcessGroup(leader, startedAt, 50)).toBe('killed');
  });

  it('REC-1 is ended when only members outlived the leader, and they were started for a turn', async () => {
    const { leader, member, startedAt } = await group(MARK);
    process.kill(leader, 'SIGKILL');
    while (await lives(leader)) await new Promise(setImmediate);
    expect(await killProcessGroup(leader, startedAt, 50)).toBe('killed');
    expect(await lives(member)).toBe(false);
  });

  it('REC-1 is left alone when the leader is dead and its members were started for no turn, or in another boot', async () => {
    const stranger = await group({});
    process.kill(stranger.leader, 'SIGKILL');
    while (await lives(stranger.leader)) await new Promise(setImmediate);
    expect(await killProcessGroup(stranger.leader, stranger.startedAt, 50)).toBe('other');
    process.kill(stranger.member, 'SIGKILL');
    const earlier = await group(MARK);
    process.kill(earlier.leader, 'SIGKILL');
    while (await lives(earlier.leader)) await new Promise(setImmediate);
    expect(await killProcessGroup(earlier.leader, `${earlier.startedAt.split('@')[0]}@another-boot`, 50)).toBe('other');
    process.kill(earlier.member, 'SIGKILL');
  });

  it.each([0, 1, -1, 1.5, Number.NaN])('never signals what is no group of ours: %p', async (pid) => {
    await expect(killProcessGroup(pid, 'x')).rejects.toThrow('no process group');
  });
});
