import type { Tx } from '../../database/tx.js';
import { voidApprovals } from '../approvals/approvals.js';
import { mirrorEnds } from '../controls/mirror-life.js';
import { countEnding } from '../conversations/conversations.js';
import { insertCleanup } from './jobs.js';

export interface EndedConversation {
  readonly conversation: string;
  /** The lifecycle delivery that stands for the end; null: an operator ended it, or it has none. */
  readonly sequence: number | null;
}

/**
 * Counts ends, in the transaction that makes them, puts down what each leaves to do, and closes their threads; nobody is asked anything
 * for them any more. The queues are locked by the caller.
 */
export async function recordEndings(tx: Tx, ended: readonly EndedConversation[], now: number): Promise<void> {
  const ends: { conversation: string; ending: number }[] = [];
  for (const { conversation, sequence } of ended) ends.push({ conversation, ending: await countEnding(tx, conversation, sequence) });
  await insertCleanup(tx, ends, now);
  await voidApprovals(
    tx,
    ends.map(({ conversation }) => conversation),
    'ended',
  );
  await mirrorEnds(tx, ends, now);
}
