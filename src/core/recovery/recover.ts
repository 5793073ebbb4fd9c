import type { Database } from '../../database/database.js';
import { bury, condemn, otherReplicas, type ReplicaIdentity, type ReplicaRow } from '../replicas/replicas.js';
import { forgetProcess, type OrphanTurn, orphansOf } from '../turns/turns.js';
import { REPAIRS, type Repair, type Repaired } from './repairs.js';

/** What the sweep may ask of the machine that it runs on. */
export interface Machine {
  /** Does this process still live? A pid that another process has by now does not count. */
  isRunning(pid: number, processStarted: string): Promise<boolean>;
  /** Ends what survived of a turn's process group. */
  endProcess(pid: number, processStarted: string): Promise<void>;
}

export interface RecoverySummary {
  readonly deadReplicas: number;
  readonly endedProcesses: number;
  /** How much each repair mended. */
  readonly repaired: Repaired;
  /** What could not be repaired, a conversation for example; the next sweep tries again. */
  readonly failed: readonly { readonly what: string; readonly error: Error }[];
}

type Failure = RecoverySummary['failed'][number];

const NOTHING = Object.fromEntries(Object.keys(REPAIRS).map((name) => [name, 0])) as Repaired;

/**
 * Takes back what dead replicas held: their processes are ended first, then the repairs are made in their order. Only the work of dead
 * owners is touched. A sweep that is killed in its middle is gone on with by the next: the dead are buried last.
 */
export async function recover(database: Database, self: { id: number } & ReplicaIdentity, machine: Machine): Promise<RecoverySummary> {
  const others = await database.transaction((tx) => otherReplicas(tx, self.id));
  const verdicts = await Promise.all(others.map((other) => isDead(database, other, self, machine)));
  const dead = others.filter((_, i) => verdicts[i]);
  if (dead.length === 0) return { deadReplicas: 0, endedProcesses: 0, repaired: NOTHING, failed: [] };
  const ids = dead.map(({ id }) => id);
  await database.transaction((tx) => condemn(tx, ids));
  const here = new Set(dead.filter((other) => other.boot_id === self.bootId).map(({ id }) => id));
  const orphans = await database.transaction((tx) => orphansOf(tx, [...here]));
  const endedProcesses = await endProcesses(database, orphans, machine);
  const failed: Failure[] = [];
  const repaired: Record<keyof Repaired, number> = { ...NOTHING };
  for (const [name, each] of Object.entries(REPAIRS)) repaired[name as keyof Repaired] = await repair(database, each, ids, failed);
  if (failed.length === 0) await database.transaction((tx) => bury(tx, ids));
  return { deadReplicas: dead.length, endedProcesses, repaired, failed };
}

async function repair(database: Database, { find, mend }: Repair, dead: readonly number[], failed: Failure[]): Promise<number> {
  let mended = 0;
  for (const what of await database.transaction((tx) => find(tx, dead)))
    await database
      .transaction((tx) => mend(tx, what, dead))
      .then((count) => {
        mended += count;
      })
      .catch((error: Error) => failed.push({ what, error }));
  return mended;
}

/** Dead at once: the only server of a SQLite file is we; or its process on this very machine is gone. Anything else waits for its lease. */
async function isDead(database: Database, other: ReplicaRow, self: ReplicaIdentity, machine: Machine): Promise<boolean> {
  if (database.dialect.name === 'sqlite') return true;
  if (other.is_expired === 1) return true;
  return other.name === self.name && other.boot_id === self.bootId && !(await machine.isRunning(other.pid, other.process_started));
}

/** Also those of turns that were reset or stopped: an end that their server did not live to bring about is brought about now. */
async function endProcesses(database: Database, orphans: readonly OrphanTurn[], machine: Machine): Promise<number> {
  await Promise.all(orphans.map(({ process_id, process_started }) => machine.endProcess(process_id ?? 0, process_started ?? '')));
  for (const orphan of orphans) await database.transaction((tx) => forgetProcess(tx, orphan));
  return orphans.length;
}
