// What processes use, read from Linux' /proc. Elsewhere the figures are null.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const hasProc = existsSync('/proc/self/stat');

/** CPU seconds of the processes and of all that they started and that still run. */
export function cpuSeconds(pids) {
  if (!hasProc) return null;
  const all = processes();
  const wanted = new Set(pids);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { pid, parent } of all)
      if (wanted.has(parent) && !wanted.has(pid)) {
        wanted.add(pid);
        grown = true;
      }
  }
  return sum(all.filter(({ pid }) => wanted.has(pid)).map(({ seconds }) => seconds));
}

/** CPU seconds that the whole machine was busy since it started. */
export function busySeconds() {
  if (!hasProc) return null;
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}

/** Resident megabytes of a process now, and the most that it ever had. */
export function memory(pid) {
  if (!hasProc) return { now: null, peak: null };
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)));
}

/** The children that it has waited for count as its own. */
function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid, parent: Number(fields[1]), seconds: sum(fields.slice(11, 15).map(Number)) / TICKS_PER_SECOND }];
  } catch {
    return []; // it has ended meanwhile
  }
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
