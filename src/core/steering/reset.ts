import type { Tx } from '../../database/tx.js';
import { Conflict } from '../../plugin/index.js';
import { voidApprovals } from '../approvals/approvals.js';
import { clearUpTo } from '../conversations/accounts.js';
import { insertNotes } from '../conversations/notes.js';
import { completeClaimed } from '../deliveries/deliveries.js';
import { fence } from '../deliveries/queue.js';
import { dropCandidates } from '../effects/candidates.js';
import { endLiveTurn } from '../turns/turns.js';
import type { Place } from './place.js';

/**
 * Draws the clear boundary behind the last sequence so far. All that waits or runs before it is completed as reset, the session is
 * gone, and the raised token makes void what a turn of before still says. A pause stays: whoever paused it resumes it.
 */
export async function resetConversation(tx: Tx, { row, queue, now }: Place, by: string): Promise<void> {
  if (row.state === 'terminal')
    throw new Conflict(`this conversation is terminal (${row.reason ?? 'closed'}): reopen it, which begins anew`);
  const conversation = row.id;
  const boundary = queue.nextSequence - 1;
  await completeClaimed(tx, { conversation, from: queue.head, to: boundary }, 'reset', `reset by ${by}`);
  // What the outcome of an effect was waited for by is done with.
  await dropCandidates(tx, conversation);
  await voidApprovals(tx, [conversation], 'reset');
  await endLiveTurn(tx, conversation, 'reset', `reset by ${by}`);
  fence(queue);
  await clearUpTo(tx, conversation, boundary, queue.token);
  await insertNotes(tx, [
    { conversation, at: now, by, kind: 'reset', receipt: null, sequence: boundary === 0 ? null : boundary, reason: null },
  ]);
}
