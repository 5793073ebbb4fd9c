import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process as `/proc/<pid>/stat` shows it. */
export interface ProcessStat {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  /** Clock ticks between boot and start. */
  readonly startTicks: string;
}

/**
 * What tells a process from a later one with the same pid; null when there is none, or only its zombie.
 * On Linux the start tick and the boot it counts from, elsewhere the start time that `ps` prints. Opaque to everyone else.
 */
export async function processIdentity(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return printedStart(pid);
  const stat = await readStat(pid);
  return stat === null || isZombie(stat) ? null : linuxIdentity(stat);
}

/**
 * The identity of a child, asked for in the same step in which it was spawned: however soon it ends, its pid is still its own,
 * since nobody has waited for it.
 */
export async function identityAtStart(pid: number): Promise<string> {
  if (process.platform !== 'linux') return (await printedStart(pid)) ?? 'ended';
  return linuxIdentity(statOf(pid, readFileSync(`/proc/${pid}/stat`, 'latin1')));
}

/** The living members of a process group. Linux only: elsewhere null, for "cannot be seen". */
export async function groupMembers(group: number): Promise<ProcessStat[] | null> {
  if (process.platform !== 'linux') return null;
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(names.map((name) => readStat(Number(name))));
  return stats.filter((stat) => stat !== null).filter((stat) => stat.group === group && !isZombie(stat));
}

/** Whether a process was started with the environment of a turn. Linux only. */
export async function hasTurnEnvironment(pid: number): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment.split('\0').some((entry) => entry.startsWith('THROUGHLINE_TURN_ID='));
}

async function linuxIdentity({ startTicks }: ProcessStat): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${startTicks}@${boot.trim()}`;
}

async function readStat(pid: number): Promise<ProcessStat | null> {
  const line = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  return line === null ? null : statOf(pid, line);
}

function statOf(pid: number, line: string): ProcessStat {
  // The second field is the name in parentheses and may hold anything, parentheses and spaces included.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { pid, state: fields[0] ?? '', group: Number(fields[2]), startTicks: fields[19] ?? '' };
}

function isZombie({ state }: ProcessStat): boolean {
  return state === 'Z' || state === 'X';
}

async function printedStart(pid: number): Promise<string | null> {
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() || null;
}
