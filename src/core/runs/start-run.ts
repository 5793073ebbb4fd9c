import { clock, type Tx } from '../../database/tx.js';
import { completeClaimed, openPrefixes } from '../deliveries/deliveries.js';
import type { Queue } from '../deliveries/queue.js';
import { lockQueues, saveQueues } from '../deliveries/queues.js';
import { unpark } from '../deliveries/unpark.js';
import { run } from './run.js';
import { insertLogs } from './run-logs.js';
import { type Attempt, lockRun, type RunRow, readRun, stepRuns } from './run-rows.js';

/** A run and the queue of its conversation, both locked. */
export interface Held {
  readonly row: RunRow;
  readonly queue: Queue;
  readonly now: number;
}

/** Locks the queue of a run's conversation, and then the run; null: there is none. */
export async function holdRun(tx: Tx, id: string): Promise<Held | null> {
  const found = await readRun(tx, id);
  if (found === null) return null;
  const queue = (await lockQueues(tx, [found.conversation])).get(found.conversation);
  const row = await lockRun(tx, id);
  return queue === undefined || row === null ? null : { row, queue, now: await clock(tx) };
}

const WORKING = 'agent working';

/**
 * The conversation of a run is open: what waits in its queue may go, in this very transaction. `toldTo`: what its entrypoint was told
 * itself, up to this one, is done with. False: the attempt is not the one that is on any more.
 */
export async function openRun(tx: Tx, { id, token }: Attempt, timeoutMs: number): Promise<boolean> {
  const held = await holdRun(tx, id);
  if (held === null || held.row.token !== token || !run.sources('open').includes(held.row.state)) return false;
  const { row, queue, now } = held;
  // What its entrypoint has begun counts from when it began.
  const deadline = row.begun_at === null ? now + timeoutMs : row.deadline_at;
  await stepRuns(tx, [id], 'open', 'opened_at = ?, deadline_at = ?, phase = ?', [now, deadline, WORKING]);
  await insertLogs(tx, id, [{ kind: 'phase', body: WORKING }]);
  await finishTold(tx, held);
  if (queue.parked === 'starting') unpark(queue, now);
  await saveQueues(tx, [queue]);
  return true;
}

/** What the entrypoint has in its event file is not told by the queue as well. */
export async function finishTold(tx: Tx, { row, queue }: Held): Promise<void> {
  const { conversation, sequence, told_to: to } = row;
  if (to === null || sequence === null) return;
  await leave(tx, queue, await completeClaimed(tx, { conversation, from: sequence, to }, 'done', null));
}

/** So many of the queue's deliveries are completed; its head is looked for anew. */
export async function leave(tx: Tx, queue: Queue, { count, waking }: { count: number; waking: number }): Promise<void> {
  queue.open -= count;
  queue.waking -= waking;
  const [head] = await openPrefixes(tx, [queue.conversation], 1);
  queue.head = head?.sequence ?? queue.nextSequence;
}

/** A start that did not work, before anything of it had begun, is tried again after a pause. False: it has begun, or is not on any more. */
export async function requeueRun(tx: Tx, { id, token }: Attempt, why: string, pauseMs: number): Promise<boolean> {
  const row = await lockRun(tx, id);
  if (row === null || row.token !== token || row.begun_at !== null) return false;
  const set = `owner = null, token = token + 1, attempt = attempt + 1, due_at = ${tx.dialect.now} + ?, deadline_at = null, detail = ?`;
  const [done] = await stepRuns(tx, [id], 'requeue', set, [pauseMs, why]);
  if (done !== undefined) await insertLogs(tx, id, [{ kind: 'note', body: why }]);
  return done !== undefined;
}
