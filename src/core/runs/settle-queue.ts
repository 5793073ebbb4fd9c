import type { Tx } from '../../database/tx.js';
import { completeClaimed, openPrefixes } from '../deliveries/deliveries.js';
import type { Outcome } from '../deliveries/delivery.js';
import { letGo, park, wakeAt } from '../deliveries/queue.js';
import { endLiveTurn } from '../turns/turns.js';
import { finishTold, type Held, leave } from './start-run.js';

/** How a run leaves the queue of its conversation behind. */
export interface Leaving {
  readonly how: 'complete' | 'fail' | 'cancel' | 'skip';
  /** Code and words of why it ended; null: it did what it was for. */
  readonly error: string | null;
  /** A turn that works in its conversation is stopped with it. */
  readonly stopsTurn: boolean;
}

/**
 * Completes what goes with a run, under the locks of both: what a person stopped, all that waited; what a failed one had begun with. What
 * is left goes on, or waits for another run. Resolves to the first delivery that is left.
 */
export async function settleQueue(tx: Tx, held: Held, { how, error, stopsTurn }: Leaving): Promise<number | null> {
  const { row, queue, now } = held;
  const reason = REASONS[how] === null ? null : (error ?? REASONS[how]);
  if (queue.owner !== null && stopsTurn) await stopTurn(tx, held, reason ?? 'the run ended');
  if (how === 'cancel' || how === 'skip') await complete(tx, held, { from: 1, to: queue.nextSequence - 1, outcome: 'skipped', reason });
  if (how === 'complete') await finishTold(tx, held);
  if (how === 'fail' && row.sequence !== null && queue.owner === null)
    await complete(tx, held, { from: row.sequence, to: row.told_to ?? row.sequence, outcome: 'dead', reason });
  const [head] = await openPrefixes(tx, [queue.conversation], 1);
  const isHeadGone = head === undefined || head.sequence !== queue.head;
  queue.head = head?.sequence ?? queue.nextSequence;
  if (queue.parked === 'starting' || (isHeadGone && OF_THE_HEAD.includes(queue.parked ?? ''))) {
    queue.parked = null;
    if (head?.state === 'held') park(queue, 'held');
  }
  wakeAt(queue, now);
  return head?.sequence ?? null;
}

const REASONS = { complete: null, fail: 'run_failed', cancel: 'run_cancelled', skip: 'run_skipped' } as const;
const OF_THE_HEAD: readonly string[] = ['held', 'stalled', 'unconfigured'];

/** As when a person stops it: what it worked on is completed, and the raised token fences whoever drives it. */
async function stopTurn(tx: Tx, { queue }: Held, reason: string): Promise<void> {
  const { conversation, claimFrom, claimTo } = queue;
  await endLiveTurn(tx, conversation, 'interrupted', reason);
  const bounds = { conversation, from: claimFrom ?? 0, to: claimTo ?? 0 };
  const done = await completeClaimed(tx, bounds, 'interrupted', reason);
  letGo(queue);
  queue.token += 1;
  queue.retryTo = null;
  await leave(tx, queue, done);
}

interface Bounds {
  readonly from: number;
  readonly to: number;
  readonly outcome: Outcome;
  readonly reason: string | null;
}

async function complete(tx: Tx, { queue }: Held, { from, to, outcome, reason }: Bounds): Promise<void> {
  const { count, waking } = await completeClaimed(tx, { conversation: queue.conversation, from, to }, outcome, reason);
  queue.open -= count;
  queue.waking -= waking;
}
