import { first, type Tx } from '../../database/tx.js';
import { findAutomationEver } from '../automations/automations.js';
import { insertNotes } from '../conversations/notes.js';
import type { Gone } from '../deliveries/claim.js';
import { completeClaimed, recordFailure } from '../deliveries/deliveries.js';
import { park, wakeAt } from '../deliveries/queue.js';
import { quoted } from '../machine.js';
import { costOf, endHeld, restartRun } from './end-run.js';
import { LIVE } from './run.js';
import { lockRun, type RunRow } from './run-rows.js';
import { leave } from './start-run.js';

/**
 * What becomes of messages whose conversation no agent server knows any more, by what their automation says: another run opens the conversation anew, they wait for a person, or they are
 * dropped. Resolves to which.
 */
export async function conversationGone(tx: Tx, gone: Gone): Promise<'restart' | 'queue' | 'drop'> {
  const { queue, head, why, now } = gone;
  const { conversation } = queue;
  await recordFailure(tx, head, { ...head, dueAt: null, failure: why });
  queue.retryTo = gone.to;
  const last = await lastRun(tx, conversation);
  const automation = last && (await findAutomationEver(tx, last.automation));
  const policy = automation?.spec.on_sandbox_gone ?? 'queue';
  const row = last && (await lockRun(tx, last.id));
  if (row !== null && LIVE.includes(row.state)) {
    if (row.state !== 'running') park(queue, 'starting');
    if (row.state !== 'running') return 'restart';
    // What it had begun with may not have been told: that is for the next run, as all that waits.
    const end = { run: row.id, how: 'fail', token: null, error: 'sandbox_gone', detail: why, costUsd: await costOf(tx, row) } as const;
    await endHeld(tx, { row: { ...row, sequence: null }, queue, now }, end);
  }
  if (policy !== 'restart') {
    const about = { conversation, at: now, by: 'throughline', receipt: null, sequence: head.sequence };
    await insertNotes(tx, [{ ...about, kind: 'alert', reason: policy === 'drop' ? `dropped: ${why}` : why }]);
  }
  if (policy === 'drop') {
    await leave(tx, queue, await completeClaimed(tx, { conversation, from: head.sequence, to: gone.to }, 'dead', why));
    wakeAt(queue, now);
  } else if (policy === 'queue' || row === null) park(queue, 'stalled');
  else await restartRun(tx, { row, queue, now }, head.sequence);
  return policy;
}

function lastRun(tx: Tx, conversation: string): Promise<Pick<RunRow, 'id' | 'automation'> | null> {
  return first(
    tx,
    `select id, automation from runs where conversation = ?
      order by case when state in (${quoted(LIVE)}) then 0 else 1 end, created_at desc limit 1`,
    [conversation],
  );
}
