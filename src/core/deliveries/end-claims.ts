import { clock, type Tx } from '../../database/tx.js';
import { endTurn, type TurnEnd } from '../turns/turns.js';
import type { Claim } from './claim.js';
import { completeClaimed, recordFailure } from './deliveries.js';
import type { Outcome } from './delivery.js';
import { MAX_INTERRUPTIONS, type Queue } from './queue.js';
import { lockQueues, saveQueues } from './queues.js';

/** How often, and how soon again, a conversation's head is tried. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: { readonly firstMs: number; readonly factor: number; readonly maxMs: number };
}

/** How the work under a claim ended. `turn` is null where no agent was woken. */
export type ClaimEnd =
  | {
      readonly claim: Claim;
      readonly how: 'completed';
      readonly outcome: Outcome;
      readonly reason: string | null;
      readonly turn: TurnEnd | null;
    }
  /** The runtime reported a failure: one attempt. */
  | { readonly claim: Claim; readonly how: 'failed'; readonly turn: TurnEnd; readonly onDead: 'stall' | 'skip'; readonly failure: string }
  /** Lost, by no fault of the agent's: no attempt, but not for ever. */
  | { readonly claim: Claim; readonly how: 'interrupted'; readonly turn: TurnEnd | null; readonly failure: string }
  /** The configuration no longer says how to work on it: it waits, visibly, and blocks nobody else. */
  | { readonly claim: Claim; readonly how: 'unconfigured'; readonly failure: string };

export type EndResult = 'ended' | 'stale';

/**
 * Ends claims, each with its turn, deliveries and queue in this one transaction. A claim whose token is no longer the queue's
 * is stale: it changes nothing and is answered as such.
 */
export async function endClaims(tx: Tx, ends: readonly ClaimEnd[], policy: RetryPolicy): Promise<EndResult[]> {
  const queues = await lockQueues(tx, [...new Set(ends.map(({ claim }) => claim.conversation))].sort());
  const now = await clock(tx);
  const results: EndResult[] = [];
  for (const end of ends) {
    const { claim } = end;
    const queue = queues.get(claim.conversation);
    if (!queue || queue.owner !== claim.owner || queue.token !== claim.token) {
      results.push('stale');
      continue;
    }
    await endOne(tx, queue, end, policy, now);
    results.push('ended');
  }
  await saveQueues(tx, [...queues.values()]);
  return results;
}

async function endOne(tx: Tx, queue: Queue, end: ClaimEnd, policy: RetryPolicy, now: number): Promise<void> {
  const { claim } = end;
  release(queue, now);
  switch (end.how) {
    case 'completed':
      await complete(tx, queue, { ...claim }, end.outcome, end.reason, now);
      break;
    case 'failed':
      await fail(tx, queue, end, policy, now);
      break;
    case 'interrupted':
      await interrupt(tx, queue, claim, end.failure, policy, now);
      break;
    case 'unconfigured':
      await recordFailure(tx, claim.head, { ...claim.head, dueAt: null, failure: end.failure });
      park(queue, 'unconfigured');
  }
  if (end.how === 'unconfigured' || end.turn === null) return;
  const { conversation, token, owner, from, to, head, claimedAt } = claim;
  await endTurn(tx, { conversation, token, owner, from, to, attempt: attemptOf(head), startedAt: claimedAt }, end.turn);
}

/** How often the same head was begun before, and this time. */
export function attemptOf(head: { readonly attempts: number; readonly interruptions: number }): number {
  return head.attempts + head.interruptions + 1;
}

function release(queue: Queue, now: number): void {
  queue.owner = null;
  queue.retryTo = null;
  queue.readyAt = queue.open > 0 ? now : null;
}

async function complete(
  tx: Tx,
  queue: Queue,
  bounds: { conversation: string; from: number; to: number },
  outcome: Outcome,
  reason: string | null,
  now: number,
): Promise<void> {
  const { count, waking } = await completeClaimed(tx, bounds, outcome, reason);
  queue.open -= count;
  queue.waking -= waking;
  queue.head = bounds.to + 1;
  // Last in, last served: a conversation with a long queue goes to the back of the line.
  queue.readyAt = queue.open > 0 ? now : null;
}

async function fail(tx: Tx, queue: Queue, end: ClaimEnd & { how: 'failed' }, policy: RetryPolicy, now: number): Promise<void> {
  const { claim, failure } = end;
  const { head, conversation, from } = claim;
  const attempts = head.attempts + 1;
  const isDead = attempts >= policy.maxAttempts;
  if (isDead && end.onDead === 'skip') return complete(tx, queue, { conversation, from, to: from }, 'dead', failure, now);
  const dueAt = isDead ? null : now + backoff(policy, attempts);
  await recordFailure(tx, head, { attempts, interruptions: head.interruptions, dueAt, failure });
  if (isDead) park(queue, 'stalled');
  else queue.readyAt = dueAt;
  // What failed together is tried apart, so that one bad message does not take its neighbours with it.
  queue.retryTo = from;
}

async function interrupt(tx: Tx, queue: Queue, claim: Claim, failure: string, policy: RetryPolicy, now: number): Promise<void> {
  const { head } = claim;
  const interruptions = head.interruptions + 1;
  const isLost = interruptions >= MAX_INTERRUPTIONS;
  const dueAt = isLost ? null : now + backoff(policy, interruptions);
  await recordFailure(tx, head, { attempts: head.attempts, interruptions, dueAt, failure });
  if (isLost) park(queue, 'stalled');
  else queue.readyAt = dueAt;
  queue.retryTo = claim.to;
}

function park(queue: Queue, parked: 'stalled' | 'unconfigured'): void {
  queue.parked = parked;
  queue.readyAt = null;
}

export function backoff({ backoff: { firstMs, factor, maxMs } }: RetryPolicy, failures: number): number {
  return Math.min(firstMs * factor ** (failures - 1), maxMs);
}
