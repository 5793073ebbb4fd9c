import { clock, type Tx } from '../../database/tx.js';
import { insertNotes } from '../conversations/notes.js';
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
  /** The runtime reported a failure, or its provider refused what comes before a turn or after an end: one attempt. */
  | {
      readonly claim: Claim;
      readonly how: 'failed';
      readonly turn: TurnEnd | null;
      readonly onDead: 'stall' | 'skip';
      readonly failure: string;
    }
  /** What must come first could not be done now: no attempt, and as often as it takes. `pauseMs` null: a growing pause. */
  | { readonly claim: Claim; readonly how: 'deferred'; readonly failure: string; readonly pauseMs: number | null }
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
    case 'deferred':
      await defer(tx, queue, end, policy, now);
      break;
    case 'unconfigured':
      await recordFailure(tx, claim.head, { ...claim.head, dueAt: null, failure: end.failure });
      park(queue, 'unconfigured');
  }
  if (end.how === 'unconfigured' || end.how === 'deferred' || end.turn === null) return;
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
  if (isAlarming(end, policy))
    await insertNotes(tx, [{ conversation, at: now, by: 'worker', kind: 'alert', receipt: head.receipt, sequence: from, reason: failure }]);
  // The end of a conversation is seen to for as long as it takes.
  const isDead = attempts >= policy.maxAttempts && head.kind !== 'lifecycle';
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
  const isLost = interruptions >= MAX_INTERRUPTIONS && head.kind !== 'lifecycle';
  const dueAt = isLost ? null : now + backoff(policy, interruptions);
  await recordFailure(tx, head, { attempts: head.attempts, interruptions, dueAt, failure });
  if (isLost) park(queue, 'stalled');
  else queue.readyAt = dueAt;
  queue.retryTo = claim.to;
}

async function defer(tx: Tx, queue: Queue, end: ClaimEnd & { how: 'deferred' }, policy: RetryPolicy, now: number): Promise<void> {
  const { claim, failure, pauseMs } = end;
  const deferrals = claim.head.deferrals + (pauseMs === null ? 1 : 0);
  const dueAt = now + (pauseMs ?? backoff(policy, deferrals));
  await recordFailure(tx, claim.head, { ...claim.head, deferrals, dueAt, failure });
  queue.readyAt = dueAt;
  queue.retryTo = claim.to;
}

/** Somebody should look, once: what has failed so often is no turn of an agent, whose conversation would be seen to be stalled. */
export function isAlarming(end: ClaimEnd, { maxAttempts }: RetryPolicy): boolean {
  return end.how === 'failed' && end.turn === null && end.claim.head.attempts + 1 === maxAttempts;
}

/** The claim goes no further than this; what is behind it waits again. False: it is not the holder's any more. */
export async function narrowClaim(tx: Tx, claim: Claim, to: number): Promise<boolean> {
  const queue = (await lockQueues(tx, [claim.conversation])).get(claim.conversation);
  if (!queue || queue.owner !== claim.owner || queue.token !== claim.token) return false;
  queue.claimTo = to;
  await saveQueues(tx, [queue]);
  return true;
}

function park(queue: Queue, parked: 'stalled' | 'unconfigured'): void {
  queue.parked = parked;
  queue.readyAt = null;
}

const LONGEST_PAUSE_MS = 3_600_000;

export function backoff({ backoff: { firstMs, factor, maxMs } }: RetryPolicy, failures: number): number {
  return Math.min(firstMs * factor ** (failures - 1), maxMs, LONGEST_PAUSE_MS);
}
