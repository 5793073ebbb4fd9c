import { readFileSync } from 'node:fs';
import os from 'node:os';
import type { Machine } from '../core/recovery/recover.js';
import type { ReplicaIdentity } from '../core/replicas/replicas.js';
import { killProcessGroup } from '../runtimes/process/process-group.js';
import { processIdentity } from '../runtimes/process/process-identity.js';

/** This process, by what tells it from every other, earlier and later. */
export async function thisProcess(name: string | null): Promise<ReplicaIdentity> {
  return { name: name ?? os.hostname(), bootId: bootId(), pid: process.pid, processStarted: (await processIdentity(process.pid)) ?? '' };
}

export const thisMachine: Machine = {
  isRunning: async (pid, started) => (await processIdentity(pid)) === started,
  endProcess: async (pid, started) => {
    await killProcessGroup(pid, started);
  },
};

/** Linux names every boot; elsewhere a start time to the minute tells them apart. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `${os.hostname()}@${Math.round((Date.now() / 1000 - os.uptime()) / 60)}`;
  }
}
