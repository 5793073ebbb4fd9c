import { randomUUID } from 'node:crypto';
import { first, type Tx } from '../../database/tx.js';
import { findAutomation } from '../automations/automations.js';
import { insertNotes } from '../conversations/notes.js';
import { park } from '../deliveries/queue.js';
import { saveQueues } from '../deliveries/queues.js';
import { countEnd } from './auto-disable.js';
import { releaseSandbox } from './release-sandbox.js';
import { run } from './run.js';
import type { RunEnd, RunEnded } from './run-end.js';
import { insertLogs } from './run-logs.js';
import { type RunRow, stepRuns } from './run-rows.js';
import { insertRuns } from './runs.js';
import { settleQueue } from './settle-queue.js';
import { type Held, holdRun } from './start-run.js';

/**
 * The one way in which a run ends, whatever ended it: its state, its subject, its sandbox, what waited in its queue, the count of its
 * automation's failures. Null: it has ended already, or another attempt is at it.
 */
export async function endRun(tx: Tx, end: RunEnd): Promise<RunEnded | null> {
  const held = await holdRun(tx, end.run);
  if (held === null || !run.sources(end.how).includes(held.row.state)) return null;
  if (end.token !== null && end.token !== held.row.token) return null;
  const ended = await endHeld(tx, held, end);
  await saveQueues(tx, [held.queue]);
  return ended;
}

/** As `endRun`, of a run whose locks the caller has, and whose queue it saves. */
export async function endHeld(tx: Tx, held: Held, end: RunEnd): Promise<RunEnded> {
  const { row, queue } = held;
  const token = queue.token;
  await write(tx, held, end);
  // A callback is a hint: the words of a turn that works are not cut off by it.
  const left = await settleQueue(tx, held, { ...end, stopsTurn: end.how === 'cancel' || end.how === 'fail' });
  const restart = left !== null && row.opened_at === null && end.how !== 'skip' ? await restartRun(tx, held, left) : null;
  await releaseSandbox(tx, row, end.how);
  const disabled = await countEnd(tx, row, end);
  return { row, workspace: queue.workspace, isFenced: queue.token !== token, restart, disabled };
}

async function write(tx: Tx, { row, now }: Held, end: RunEnd): Promise<void> {
  const { how, error, detail, isTimedOut = false, metadata = null } = end;
  const cost = end.costUsd ?? (await costOf(tx, row));
  await stepRuns(
    tx,
    [row.id],
    how,
    `ended_at = ?, released_at = ?, owner = null, token = token + 1, error = ?, detail = ?, timed_out = ?, cost_usd = ?,
      metadata = coalesce(?, metadata)`,
    [now, now, error, detail, Number(isTimedOut), cost, metadata],
  );
  if (error !== null) await insertLogs(tx, row.id, [{ kind: 'note', body: detail === null ? error : `${error}: ${detail}` }]);
  if (how !== 'fail') return;
  const about = { conversation: row.conversation, at: now, by: 'throughline', receipt: null, sequence: row.sequence };
  await insertNotes(tx, [{ ...about, kind: 'alert', reason: `run ${row.id} failed: ${detail ?? error}` }]);
}

/** What the turns since its first delivery have cost; null: there were none. */
export async function costOf(tx: Tx, { conversation, sequence }: RunRow): Promise<number | null> {
  if (sequence === null) return null;
  const found = await first<{ usd: number | null }>(
    tx,
    'select sum(cost_usd) as usd from turns where conversation = ? and from_sequence >= ?',
    [conversation, sequence],
  );
  return found?.usd ?? null;
}

/**
 * Another run for what was left in the queue of one that never opened; it waits for it. Null: its automation is off, and what was left is
 * skipped.
 */
export async function restartRun(tx: Tx, held: Held, sequence: number): Promise<string | null> {
  const { row, queue, now } = held;
  const automation = await findAutomation(tx, row.automation);
  if (automation?.state !== 'enabled') {
    await settleQueue(tx, held, { how: 'skip', error: 'automation_disabled', stopsTurn: false });
    return null;
  }
  const id = randomUUID();
  const { org, conversation, generation, subject, no_subject: noSubject } = row;
  const nothing = { receipt: null, slot: null, error: null, detail: null, inputs: row.inputs };
  const about = { id, org, automation: automation.id, version: automation.version, generation, conversation, sequence, subject, noSubject };
  await insertRuns(tx, [{ ...about, ...nothing, cause: 'restart', state: 'queued' }], now);
  park(queue, 'starting');
  return id;
}

/** A success that is told after a run ran out of time. False: that is not what became of it. */
export async function reconcileRun(tx: Tx, id: string, costUsd: number | null, metadata: string | null): Promise<boolean> {
  const held = await holdRun(tx, id);
  if (held?.row.timed_out !== 1) return false;
  const set = 'error = null, detail = null, cost_usd = coalesce(?, cost_usd), metadata = coalesce(?, metadata)';
  const [done] = await stepRuns(tx, [id], 'reconcile', set, [costUsd, metadata]);
  if (done !== undefined) await insertLogs(tx, id, [{ kind: 'note', body: 'it succeeded after it had run out of time' }]);
  return done !== undefined;
}
