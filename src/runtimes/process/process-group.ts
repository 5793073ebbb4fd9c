import { setTimeout as delay } from 'node:timers/promises';
import { groupMembers, hasTurnEnvironment, processIdentity } from './process-identity.js';

export const GRACE_MS = 5_000;

/** After SIGKILL only a process stuck in the kernel, or one of another user, is still there. */
const KILL_WAIT_MS = 30_000;
const SLOWEST_LOOK_MS = 100;

/**
 * Ends a process group that survived the server that started it: SIGTERM, SIGKILL after the grace, and waits until it is gone.
 * `other`: the pid now belongs to someone else, and nothing was done.
 */
export async function killProcessGroup(pid: number, startedAt: string, graceMs: number = GRACE_MS): Promise<'killed' | 'gone' | 'other'> {
  if (!(await isGroupAlive(pid))) return 'gone';
  if (!(await isSameGroup(pid, startedAt))) return 'other';
  await endGroup(pid, graceMs);
  return 'killed';
}

/** Asks a group to end, makes it end after the grace, and resolves when no member lives. */
export async function endGroup(group: number, graceMs: number = GRACE_MS): Promise<void> {
  if (!(await isGroupAlive(group))) return;
  signalGroup(group, 'SIGTERM');
  if (await isGoneWithin(group, graceMs)) return;
  signalGroup(group, 'SIGKILL');
  if (!(await isGoneWithin(group, KILL_WAIT_MS)))
    throw new Error(`process group ${group} is still there ${KILL_WAIT_MS / 1000} s after SIGKILL`);
}

/**
 * While a group lives, its leader's pid is not given away. So a dead leader with living members still is our leader,
 * unless the whole group ended, the pid went round, and the next owner left members of its own: those were not started for a turn.
 */
async function isSameGroup(pid: number, startedAt: string): Promise<boolean> {
  const leader = await processIdentity(pid);
  if (leader !== null) return leader === startedAt;
  const members = await groupMembers(pid);
  if (members === null) return true;
  const marks = await Promise.all(members.map((member) => hasTurnEnvironment(member.pid)));
  return marks.some(Boolean) && (await isThisBoot(startedAt));
}

async function isThisBoot(startedAt: string): Promise<boolean> {
  const own = await processIdentity(process.pid);
  return own?.split('@')[1] === startedAt.split('@')[1];
}

async function isGoneWithin(group: number, limitMs: number): Promise<boolean> {
  const until = performance.now() + limitMs;
  for (let pauseMs = 5; await isGroupAlive(group); pauseMs = Math.min(pauseMs * 2, SLOWEST_LOOK_MS)) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    await delay(Math.min(pauseMs, leftMs));
  }
  return true;
}

async function isGroupAlive(group: number): Promise<boolean> {
  if (!signalGroup(group, 0)) return false;
  // A zombie takes signals too, and stays one for ever where process 1 does not reap.
  const members = await groupMembers(group);
  return members === null || members.length > 0;
}

/** False when there is no such group. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // kill(-1) means every process of the user, kill(0) our own group.
  if (!Number.isSafeInteger(group) || group <= 1) throw new RangeError(`${group} is no process group`);
  try {
    return process.kill(-group, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
