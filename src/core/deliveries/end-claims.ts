import { clock, type Tx } from '../../database/tx.js';
import { type Place, type Post, putPosts } from '../controls/posts.js';
import { charge } from '../conversations/accounts.js';
import { insertNotes } from '../conversations/notes.js';
import { dayOf } from '../limits/day.js';
import { book, type Spending } from '../limits/spendings.js';
import { endTurns, insertTranscripts, type NewTurn, type TranscriptEntry, type TurnEnd } from '../turns/turns.js';
import type { Claim, Gone } from './claim.js';
import { type Count, completeAll, completeClaimed, recordFailure } from './deliveries.js';
import type { Outcome } from './delivery.js';
import { letGo, MAX_INTERRUPTIONS, park, type Queue, wakeAt } from './queue.js';
import { lockQueues, saveQueues } from './queues.js';

/** How often, and how soon again, a conversation's head is tried. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: { readonly firstMs: number; readonly factor: number; readonly maxMs: number };
}

/** How the work under a claim ended, with what its turn has said and is not stored yet. */
export type ClaimEnd = WorkEnd & {
  readonly unstored?: readonly TranscriptEntry[];
  /** What people are to see of it; stored with it, so that it is never lost. */
  readonly shown?: { readonly place: Place; readonly posts: readonly Post[] } | null;
};

/** `turn` is null where no agent was woken. */
type WorkEnd =
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
  /** A limit of what turns may cost ended it: it waits for another day, or for a person. */
  | { readonly claim: Claim; readonly how: 'spent'; readonly turn: TurnEnd; readonly failure: string; readonly until: number | null }
  /** No agent server knows the conversation: its automation says what becomes of it. */
  | { readonly claim: Claim; readonly how: 'gone'; readonly turn: TurnEnd; readonly failure: string }
  /** The configuration no longer says how to work on it: it waits, visibly, and blocks nobody else. */
  | { readonly claim: Claim; readonly how: 'unconfigured'; readonly failure: string };

export type EndResult = 'ended' | 'stale';

export interface Ended {
  /** Of each end, in their order. */
  readonly results: readonly EndResult[];
  /** Something is to be claimed at once behind what has ended. */
  readonly isReady: boolean;
}

/** IANA zone whose days a workspace is counted by. */
export type TimezoneOf = (org: string, workspace: string) => string;

/** What becomes of messages whose conversation is gone. */
export type OnGone = (tx: Tx, gone: Gone) => Promise<unknown>;

/**
 * Ends claims, each with its turn, deliveries and queue in this one transaction. A claim whose token is no longer the queue's
 * is stale: it changes nothing and is answered as such. What its turn has cost is booked all the same, for it was spent.
 */
export async function endClaims(
  tx: Tx,
  ends: readonly ClaimEnd[],
  policy: RetryPolicy,
  timezoneOf: TimezoneOf = () => 'UTC',
  onGone: OnGone = stall,
): Promise<Ended> {
  const conversations = [...new Set(ends.map(({ claim }) => claim.conversation))].sort();
  const [queues, now] = await Promise.all([lockQueues(tx, conversations), clock(tx)]);
  const ours = ends.filter(({ claim: { conversation, owner, token } }) => {
    const queue = queues.get(conversation);
    return queue?.owner === owner && queue.token === token;
  });
  const countOf = await completeAll(tx, ours.flatMap(completionOf));
  for (const end of ours) {
    const queue = queues.get(end.claim.conversation);
    if (queue) await endOne(tx, queue, end, { policy, now, onGone, completed: countOf(queue.conversation) });
  }
  for (const { shown } of ours) if (shown) await putPosts(tx, shown.place, shown.posts, now);
  const known = ends.filter(({ claim }) => queues.has(claim.conversation));
  await Promise.all([
    endTurns(tx, ours.flatMap(turnEndOf)),
    insertTranscripts(
      tx,
      ours.map(({ claim, unstored = [] }) => ({ turn: claim, entries: unstored })),
    ),
    charge(
      tx,
      known.map((end) => ({ conversation: end.claim.conversation, usd: costOf(end) })),
    ),
    saveQueues(tx, [...queues.values()]),
  ]);
  await book(
    tx,
    ends.flatMap((end) => spendingOf(end, queues.get(end.claim.conversation), timezoneOf, now)),
  );
  const ended = new Set(ours);
  return {
    results: ends.map((end) => (ended.has(end) ? 'ended' : 'stale')),
    isReady: ours.some(({ claim }) => (queues.get(claim.conversation)?.readyAt ?? Number.POSITIVE_INFINITY) <= now),
  };
}

function completionOf(end: ClaimEnd) {
  const { conversation, from, to } = end.claim;
  return end.how === 'completed' ? [{ conversation, from, to, outcome: end.outcome, reason: end.reason }] : [];
}

function turnEndOf(end: ClaimEnd) {
  if (end.how === 'unconfigured' || end.how === 'deferred' || end.turn === null) return [];
  return [{ turn: turnOf(end.claim), end: end.turn }];
}

function costOf(end: ClaimEnd): number {
  return end.how === 'unconfigured' || end.how === 'deferred' ? 0 : (end.turn?.costUsd ?? 0);
}

function spendingOf(end: ClaimEnd, queue: Queue | undefined, timezoneOf: TimezoneOf, now: number): Spending[] {
  const usd = costOf(end);
  if (usd === 0 || !queue) return [];
  const { org, workspace } = queue;
  return [{ org, workspace, day: dayOf(now, timezoneOf(org, workspace)), usd }];
}

interface Ending {
  readonly policy: RetryPolicy;
  readonly now: number;
  readonly onGone: OnGone;
  /** What of the claim was completed with it. */
  readonly completed: Count;
}

async function endOne(tx: Tx, queue: Queue, end: ClaimEnd, { policy, now, completed, onGone }: Ending): Promise<void> {
  const { claim } = end;
  const wasResting = queue.isResting;
  release(queue, now);
  switch (end.how) {
    case 'completed':
      return goOn(queue, claim.to, completed, now);
    case 'failed':
      return fail(tx, queue, end, policy, now);
    case 'interrupted':
      return interrupt(tx, queue, { ...end, wasResting }, policy, now);
    case 'spent':
      return runOut(tx, queue, end, now);
    case 'deferred':
      return defer(tx, queue, end, policy, now);
    case 'gone':
      return void (await onGone(tx, { queue, head: claim.head, to: claim.to, why: end.failure, now }));
    case 'unconfigured':
      await recordFailure(tx, claim.head, { ...claim.head, dueAt: null, failure: end.failure });
      park(queue, 'unconfigured');
  }
}

/** Where nobody says otherwise, it waits for a person. */
async function stall(tx: Tx, { queue, head, why }: Gone): Promise<void> {
  await recordFailure(tx, head, { ...head, dueAt: null, failure: why });
  park(queue, 'stalled');
}

/** The turn that comes of a claim, as it is stored. */
export function turnOf({ conversation, token, owner, from, to, head, claimedAt, causedBy }: Claim): NewTurn {
  return { conversation, token, owner, from, to, attempt: attemptOf(head), startedAt: claimedAt, causedBy };
}

/** How often the same head was begun before, and this time. */
export function attemptOf(head: { readonly attempts: number; readonly interruptions: number }): number {
  return head.attempts + head.interruptions + 1;
}

function release(queue: Queue, now: number): void {
  letGo(queue);
  queue.retryTo = null;
  wakeAt(queue, now);
}

function goOn(queue: Queue, completedTo: number, { count, waking }: Count, now: number): void {
  queue.open -= count;
  queue.waking -= waking;
  queue.head = completedTo + 1;
  // Last in, last served: a conversation with a long queue goes to the back of the line.
  wakeAt(queue, now);
}

async function fail(tx: Tx, queue: Queue, end: ClaimEnd & { how: 'failed' }, policy: RetryPolicy, now: number): Promise<void> {
  const { claim, failure } = end;
  const { head, conversation, from } = claim;
  const attempts = head.attempts + 1;
  if (isAlarming(end, policy))
    await insertNotes(tx, [{ conversation, at: now, by: 'worker', kind: 'alert', receipt: head.receipt, sequence: from, reason: failure }]);
  // The end of a conversation is seen to for as long as it takes.
  const isDead = attempts >= policy.maxAttempts && head.kind !== 'lifecycle';
  if (isDead && end.onDead === 'skip')
    return goOn(queue, from, await completeClaimed(tx, { conversation, from, to: from }, 'dead', failure), now);
  const dueAt = isDead ? null : now + backoff(policy, attempts);
  await recordFailure(tx, head, { attempts, interruptions: head.interruptions, dueAt, failure });
  if (isDead) park(queue, 'stalled');
  else wakeAt(queue, dueAt);
  // What failed together is tried apart, so that one bad message does not take its neighbours with it.
  queue.retryTo = from;
}

async function interrupt(
  tx: Tx,
  queue: Queue,
  { claim, failure, wasResting }: { claim: Claim; failure: string; wasResting: boolean },
  policy: RetryPolicy,
  now: number,
): Promise<void> {
  const { head } = claim;
  const interruptions = head.interruptions + 1;
  // A turn at rest is no reason why it was interrupted.
  const isLost = interruptions >= MAX_INTERRUPTIONS && head.kind !== 'lifecycle' && !wasResting;
  const dueAt = isLost ? null : now + backoff(policy, interruptions);
  await recordFailure(tx, head, { attempts: head.attempts, interruptions, dueAt, failure });
  if (isLost) park(queue, 'stalled');
  else wakeAt(queue, dueAt);
  queue.retryTo = claim.to;
}

/** No fault of the message's: it is tried again, as often as before, when there is money. */
async function runOut(tx: Tx, queue: Queue, { claim, failure, until }: ClaimEnd & { how: 'spent' }, now: number): Promise<void> {
  const { head, conversation, from } = claim;
  await recordFailure(tx, head, { ...head, dueAt: null, failure });
  park(queue, 'spent', until);
  queue.retryTo = claim.to;
  await insertNotes(tx, [{ conversation, at: now, by: 'throughline', kind: 'spent', receipt: null, sequence: from, reason: failure }]);
}

async function defer(tx: Tx, queue: Queue, end: ClaimEnd & { how: 'deferred' }, policy: RetryPolicy, now: number): Promise<void> {
  const { claim, failure, pauseMs } = end;
  const deferrals = claim.head.deferrals + (pauseMs === null ? 1 : 0);
  const dueAt = now + (pauseMs ?? backoff(policy, deferrals));
  await recordFailure(tx, claim.head, { ...claim.head, deferrals, dueAt, failure });
  wakeAt(queue, dueAt);
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

const LONGEST_PAUSE_MS = 3_600_000;

export function backoff({ backoff: { firstMs, factor, maxMs } }: RetryPolicy, failures: number): number {
  return Math.min(firstMs * factor ** (failures - 1), maxMs, LONGEST_PAUSE_MS);
}
