import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { lockQueues, saveQueues } from '../deliveries/queues.js';
import { takeBack } from '../deliveries/take-back.js';
import { releaseJobs } from '../jobs/jobs.js';
import { bury, condemn, conversationsOwnedBy, otherReplicas, type ReplicaIdentity, type ReplicaRow } from '../replicas/replicas.js';
import { forgetProcess, type OrphanTurn, orphansOf } from '../turns/turns.js';

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
  readonly releasedClaims: number;
  /** Jobs behind ended conversations that are to be done anew. */
  readonly releasedJobs: number;
  /** Conversations whose repair failed; they are tried again by the next sweep. */
  readonly failed: readonly { readonly conversation: string; readonly error: Error }[];
}

const INTERRUPTED = 'the process that worked on it ended';

/**
 * Takes back what dead replicas held: their processes are ended first, then each claim is released in a transaction of its own,
 * so that one broken conversation keeps no other from recovering. Only the work of dead owners is touched.
 */
export async function recover(database: Database, self: { id: number } & ReplicaIdentity, machine: Machine): Promise<RecoverySummary> {
  const others = await database.transaction((tx) => otherReplicas(tx, self.id));
  const verdicts = await Promise.all(others.map((other) => isDead(database, other, self, machine)));
  const dead = others.filter((_, i) => verdicts[i]);
  const none = { deadReplicas: 0, endedProcesses: 0, releasedClaims: 0, releasedJobs: 0, failed: [] };
  if (dead.length === 0) return none;
  const ids = dead.map(({ id }) => id);
  await database.transaction((tx) => condemn(tx, ids));
  const here = new Set(dead.filter((other) => other.boot_id === self.bootId).map(({ id }) => id));
  const orphans = await database.transaction((tx) => orphansOf(tx, [...here]));
  const endedProcesses = await endProcesses(database, orphans, machine);
  const conversations = await database.transaction((tx) => conversationsOwnedBy(tx, ids));
  const failed: { conversation: string; error: Error }[] = [];
  for (const conversation of conversations)
    await database.transaction((tx) => releaseClaim(tx, conversation, ids)).catch((error: Error) => failed.push({ conversation, error }));
  const releasedJobs = await database.transaction((tx) => releaseJobs(tx, ids));
  if (failed.length === 0) await database.transaction((tx) => bury(tx, ids));
  return { deadReplicas: dead.length, endedProcesses, releasedClaims: conversations.length - failed.length, releasedJobs, failed };
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

/** The next claim gets the same messages again; the raised token makes whatever the old holder still says void. */
async function releaseClaim(tx: Tx, conversation: string, dead: readonly number[]): Promise<void> {
  const queue = (await lockQueues(tx, [conversation])).get(conversation);
  if (!queue || queue.owner === null || !dead.includes(queue.owner)) return;
  await takeBack(tx, queue, INTERRUPTED, 'interrupted');
  await saveQueues(tx, [queue]);
}
