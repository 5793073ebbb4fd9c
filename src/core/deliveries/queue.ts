/** Why nobody looks at a conversation's queue although it is not empty. */
export type Parking =
  /** An effect of ours may own its head. */
  | 'held'
  /** Its head has failed too often; an operator decides. */
  | 'stalled'
  /** Its workspace or runtime is not in the configuration. */
  | 'unconfigured';

/** So often may the work on a head be lost without a failure of its own before an operator has to look. */
export const MAX_INTERRUPTIONS = 10;

/** The one hot row of a conversation: its numbering, its readiness, and its claim. */
export interface Queue {
  readonly conversation: string;
  readonly org: string;
  readonly workspace: string;
  nextSequence: number;
  /** Deliveries that are not completed, and how many of them wake. */
  open: number;
  waking: number;
  /** No open delivery has a lower sequence. */
  head: number;
  /** When a worker should look, by the database's clock; a hint, read by nobody but the claim. */
  readyAt: number | null;
  parked: Parking | null;
  /** The claim: which replica works on what, since when. The bounds stay after it ended. */
  owner: number | null;
  token: number;
  claimFrom: number | null;
  claimTo: number | null;
  claimedAt: number | null;
  /** The next claim takes nothing beyond it: a repeated turn has the messages it had. */
  retryTo: number | null;
}

export function emptyQueue(conversation: string, org: string, workspace: string): Queue {
  const counts = { nextSequence: 1, open: 0, waking: 0, head: 1 };
  return { conversation, org, workspace, ...counts, readyAt: null, parked: null, ...UNCLAIMED, retryTo: null };
}

const UNCLAIMED = { owner: null, token: 0, claimFrom: null, claimTo: null, claimedAt: null };

/** Gives the next place, and tells workers when there is something to look at. */
export function append(queue: Queue, entry: { waking: boolean; wakeAt: number | null; held?: boolean }, now: number): number {
  const sequence = queue.nextSequence;
  const slept = queue.waking === 0;
  queue.nextSequence += 1;
  queue.open += 1;
  if (entry.waking) queue.waking += 1;
  // A held head blocks: there is nothing to look at before it is decided.
  if (entry.held && queue.open === 1 && queue.owner === null && queue.parked === null) queue.parked = 'held';
  if (queue.owner !== null || queue.parked !== null) return sequence;
  const at = entry.waking ? now : entry.wakeAt;
  // With something waking in it, a later time is the head's own: it is not to be hurried.
  if (at !== null && (slept || queue.readyAt === null)) queue.readyAt = Math.min(queue.readyAt ?? at, at);
  return sequence;
}

/** Ends the claim whoever holds it, and counts everything so far as completed. The raised token fences the holder. */
export function fence(queue: Queue): void {
  queue.open = 0;
  queue.waking = 0;
  queue.head = queue.nextSequence;
  queue.readyAt = null;
  queue.parked = null;
  queue.owner = null;
  queue.token += 1;
  queue.retryTo = null;
}

/** What is wrong with a head, as against what is wanted of the conversation. */
const OF_THE_HEAD: readonly (Parking | null)[] = ['held', 'stalled', 'unconfigured'];

/** A delivery that nobody works on is completed. What was wrong with the head is no matter of those behind it. */
export function drop(queue: Queue, entry: { waking: boolean; isHead: boolean }, now: number): void {
  queue.open -= 1;
  if (entry.waking) queue.waking -= 1;
  if ((entry.isHead || queue.open === 0) && OF_THE_HEAD.includes(queue.parked)) queue.parked = null;
  if (queue.owner === null && queue.parked === null) queue.readyAt = queue.open > 0 ? now : null;
}

/** Whether a delivery that is not completed is being worked on. */
export function isClaimed(queue: Queue, sequence: number): boolean {
  const { owner, claimFrom, claimTo } = queue;
  return owner !== null && claimFrom !== null && claimTo !== null && sequence >= claimFrom && sequence <= claimTo;
}

/** The end of a delivery's hold: it is looked at, or whoever waits behind it. */
export function unhold(queue: Queue, entry: { readonly waking: number }, how: 'suppressed' | 'released', now: number): void {
  if (how === 'suppressed') {
    queue.open -= 1;
    queue.waking -= entry.waking;
  }
  if (queue.parked === 'held') queue.parked = null;
  if (queue.owner === null && queue.parked === null) queue.readyAt = queue.open > 0 ? now : null;
}
