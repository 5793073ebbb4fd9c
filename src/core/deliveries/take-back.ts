import { clock, type Tx } from '../../database/tx.js';
import { endLiveTurn } from '../turns/turns.js';
import { readDelivery, recordFailure } from './deliveries.js';
import { letGo, MAX_INTERRUPTIONS, park, type Queue, wakeAt } from './queue.js';

/** Ends a claim and the turn under it from outside; its deliveries wait again, in their places. */
export async function takeBack(tx: Tx, queue: Queue, why: string, turn: 'interrupted' | 'abandoned'): Promise<void> {
  const { conversation, claimFrom, claimTo, isResting } = queue;
  letGo(queue);
  queue.token += 1;
  queue.retryTo = claimTo;
  wakeAt(queue, await clock(tx));
  const hadBegun = await endLiveTurn(tx, conversation, turn, why);
  const head = claimFrom === null ? null : await readDelivery(tx, conversation, claimFrom);
  // A claim that no turn had come of yet goes back as if it had never been.
  if (head === null || turn !== 'interrupted' || !hadBegun) return;
  const interruptions = head.interruptions + 1;
  await recordFailure(tx, head, { attempts: head.attempts, interruptions, dueAt: head.due_at, failure: why });
  // A message that takes its process down every time must not do so for ever; one that was at rest took nothing down.
  if (interruptions >= MAX_INTERRUPTIONS && !isResting) park(queue, 'stalled');
}
