import type { Allowance } from '../limits/rules.js';
import type { OpenDelivery } from './deliveries.js';
import type { AuthorKind } from './delivery.js';
import type { Queue } from './queue.js';

/** A conversation's one claim: who works on which of its deliveries. The token is raised at every claim and fences older holders. */
export interface Claim {
  readonly conversation: string;
  readonly token: number;
  readonly owner: number;
  /** Sequences of the first and the last claimed delivery. */
  readonly from: number;
  readonly to: number;
  readonly head: OpenDelivery;
  readonly entries: readonly OpenDelivery[];
  readonly claimedAt: number;
  readonly causedBy: AuthorKind | null;
  /** What its turn may cost; null: anything. */
  readonly allowance: Allowance | null;
}

/** How many waking prompts may enter one turn. */
export type Coalesce = (org: string, route: string | null) => number;

export type ClaimPlan =
  | { readonly verdict: 'claim'; readonly entries: readonly OpenDelivery[] }
  /** Nothing is to be claimed now; look again at `readyAt`, or when something arrives. */
  | { readonly verdict: 'wait'; readonly readyAt: number | null }
  | { readonly verdict: 'held' };

/** What of a queue one claim takes: its head, and what may enter the same turn. */
export function planClaim(queue: Queue, open: readonly OpenDelivery[], now: number, coalesce: Coalesce): ClaimPlan {
  const [head] = open;
  if (!head || queue.isPaused) return { verdict: 'wait', readyAt: null };
  if (head.state === 'held') return { verdict: 'held' };
  if (!isDue(head, now)) return { verdict: 'wait', readyAt: head.due_at };
  const heldAt = open.findIndex((entry) => entry.state === 'held');
  const reachable = heldAt === -1 ? open : open.slice(0, heldAt);
  const mayWakeLater = heldAt === -1 && queue.waking > 0;
  if (!mayWakeLater && !reachable.some((entry) => wakes(entry, now))) {
    const readyAt = soonest(reachable);
    // What is held may be our own doing: it wakes nobody, not even for the silent messages before it.
    return heldAt !== -1 && readyAt === null ? { verdict: 'held' } : { verdict: 'wait', readyAt };
  }
  if (isCollecting(queue, open, now)) return { verdict: 'wait', readyAt: queue.quietUntil };
  return { verdict: 'claim', entries: together(open, head, queue, now, coalesce(queue.org, head.route)) };
}

/** Consecutive due prompts of one trust; those that wake nobody ride along and count for nothing. */
function together(open: readonly OpenDelivery[], head: OpenDelivery, queue: Queue, now: number, cap: number): OpenDelivery[] {
  if (head.kind === 'lifecycle') return [head];
  const entries: OpenDelivery[] = [];
  // A bound before the head is of messages that are gone: somebody skipped them.
  const last = queue.retryTo !== null && queue.retryTo >= head.sequence ? queue.retryTo : Number.POSITIVE_INFINITY;
  let counted = 0;
  for (const entry of open) {
    const belongs = entry.kind === 'prompt' && entry.state === 'pending' && entry.trust === head.trust && isDue(entry, now);
    if (!belongs || entry.sequence > last) break;
    if (isOfHost(entry)) return counted === 0 ? [...entries, entry] : entries;
    if (entry.waking === 1 && counted === cap) break;
    counted += entry.waking;
    entries.push(entry);
  }
  return entries;
}

/** What the host itself has to say makes a turn of its own. */
function isOfHost({ route, author_kind: author }: OpenDelivery): boolean {
  return route === null && author === 'machine';
}

/** What wakes next collects what comes with it, and has not been tried yet. */
function isCollecting({ quietUntil }: Queue, open: readonly OpenDelivery[], now: number): boolean {
  const first = open.find(({ waking }) => waking === 1);
  return first?.collects === 1 && first.attempts + first.interruptions === 0 && quietUntil !== null && quietUntil > now;
}

function isDue(entry: OpenDelivery, now: number): boolean {
  return entry.due_at === null || entry.due_at <= now;
}

function wakes(entry: OpenDelivery, now: number): boolean {
  return entry.waking === 1 || (entry.wake_at !== null && entry.wake_at <= now);
}

function soonest(open: readonly OpenDelivery[]): number | null {
  const times = open.flatMap(({ wake_at }) => wake_at ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** Messages that were on their way to a conversation that no agent server knows any more. */
export interface Gone {
  /** Locked, its claim let go of; the caller saves it. */
  readonly queue: Queue;
  readonly head: OpenDelivery;
  readonly to: number;
  readonly why: string;
  readonly now: number;
}
