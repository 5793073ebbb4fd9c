import type { Trust } from './delivery.js';

/** Why nobody looks at a conversation's queue although it is not empty. */
export type Parking =
  /** An effect of ours may own its head. */
  | 'held'
  /** Its head has failed too often; an operator decides. */
  | 'stalled'
  /** Its workspace or runtime is not in the configuration. */
  | 'unconfigured'
  /** Machines have answered each other too often; a person decides. */
  | 'looping'
  /** A limit of what turns may cost is reached; the only parking that may end by itself, at the start of another day. */
  | 'spent'
  /** The run that opens its conversation is on its way. */
  | 'starting';

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
  /** A person has paused the conversation: nothing of it is claimed until a person resumes it, whatever else it waits for. */
  isPaused: boolean;
  /** The turn of the claim is at rest, because a person paused it. */
  isResting: boolean;
  /** Trust of the messages that the claim's turn works on; null: there is no claim, or no turn comes of it. */
  turnTrust: Trust | null;
  /** Messages may join the claim: its turn takes them while it runs. */
  isSteerable: boolean;
  /** A head that collects is due when nothing has arrived until then; and no later than the limit. */
  quietUntil: number | null;
  quietLimit: number | null;
}

export function emptyQueue(conversation: string, org: string, workspace: string): Queue {
  const counts = { nextSequence: 1, open: 0, waking: 0, head: 1 };
  return {
    conversation,
    org,
    workspace,
    ...counts,
    readyAt: null,
    parked: null,
    ...UNCLAIMED,
    retryTo: null,
    isPaused: false,
    ...NOT_QUIET,
  };
}

const IDLE = { owner: null, isResting: false, turnTrust: null, isSteerable: false };
const UNCLAIMED = { ...IDLE, token: 0, claimFrom: null, claimTo: null, claimedAt: null };
const NOT_QUIET = { quietUntil: null, quietLimit: null };

/** A steady stream of messages puts a turn off no longer than so many times the quiet that it waits for. */
const MOST_DEBOUNCES = 10;

export interface Appended {
  readonly waking: boolean;
  readonly wakeAt: number | null;
  /** The quiet to wait for before a turn; null: none. */
  readonly debounceMs: number | null;
  /** An effect of ours may own it. */
  readonly held?: boolean;
}

/** Gives the next place, and tells workers when there is something to look at. */
export function append(queue: Queue, { waking, wakeAt, debounceMs, held = false }: Appended, now: number): number {
  const sequence = queue.nextSequence;
  const slept = queue.waking === 0;
  queue.nextSequence += 1;
  queue.open += 1;
  if (waking) queue.waking += 1;
  if (waking && debounceMs !== null) {
    // A quiet that nobody waited for to the end, because the queue was emptied, is no limit.
    if (slept) queue.quietLimit = null;
    queue.quietLimit ??= now + debounceMs * MOST_DEBOUNCES;
    queue.quietUntil = Math.min(now + debounceMs, queue.quietLimit);
  }
  // A held head blocks: there is nothing to look at before it is decided.
  if (held && queue.open === 1 && queue.owner === null && queue.parked === null) queue.parked = 'held';
  if (!isClaimable(queue)) return sequence;
  const at = waking ? (debounceMs === null ? now : queue.quietUntil) : wakeAt;
  // With something waking in it, a later time is the head's own: it is not to be hurried.
  if (at !== null && (slept || queue.readyAt === null)) queue.readyAt = Math.min(queue.readyAt ?? at, at);
  return sequence;
}

/** The newest delivery joins the claim, whose turn gets it while it runs. */
export function join(queue: Queue, sequence: number): void {
  queue.claimTo = sequence;
}

/** May the next delivery join the claim? Only where nothing waits between: order is kept in a turn, too. */
export function takesMore(queue: Queue, trust: Trust): boolean {
  return (
    queue.owner !== null && queue.isSteerable && !queue.isPaused && queue.turnTrust === trust && queue.claimTo === queue.nextSequence - 1
  );
}

/** Workers look from then on, unless there is a reason why nobody may. */
export function wakeAt(queue: Queue, at: number | null): void {
  queue.readyAt = isClaimable(queue) ? at : null;
}

function isClaimable(queue: Queue): boolean {
  return queue.open > 0 && queue.owner === null && queue.parked === null && !queue.isPaused;
}

/** The claim is nobody's any more; its token and its bounds stay. */
export function letGo(queue: Queue): void {
  Object.assign(queue, IDLE);
}

/** Puts the queue aside until somebody, or the given time, takes it up again. */
export function park(queue: Queue, parked: Parking, until: number | null = null): void {
  queue.parked = parked;
  queue.readyAt = queue.isPaused || queue.open === 0 ? null : until;
}

/** Ends the claim whoever holds it, and counts everything so far as completed. The raised token fences the holder. */
export function fence(queue: Queue): void {
  queue.open = 0;
  queue.waking = 0;
  queue.head = queue.nextSequence;
  queue.readyAt = null;
  // Whatever comes next waits for the run that is on its way, too.
  if (queue.parked !== 'starting') queue.parked = null;
  letGo(queue);
  queue.token += 1;
  queue.retryTo = null;
  Object.assign(queue, NOT_QUIET);
}

/** Parked until a person has looked, or for another day: what comes waits behind it. */
const FOR_A_PERSON: readonly (Parking | null)[] = ['stalled', 'unconfigured', 'looping', 'spent'];

export function isForAPerson({ parked }: Queue): boolean {
  return FOR_A_PERSON.includes(parked);
}

/** What is wrong with a head, as against what is wanted of the conversation. */
const OF_THE_HEAD: readonly (Parking | null)[] = ['held', 'stalled', 'unconfigured'];

/** A delivery that nobody works on is completed. What was wrong with the head is no matter of those behind it. */
export function drop(queue: Queue, entry: { waking: boolean; isHead: boolean }, now: number): void {
  queue.open -= 1;
  if (entry.waking) queue.waking -= 1;
  if ((entry.isHead || queue.open === 0) && OF_THE_HEAD.includes(queue.parked)) queue.parked = null;
  if (queue.parked === null) wakeAt(queue, now);
  else if (queue.open === 0) queue.readyAt = null;
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
  if (queue.parked === null) wakeAt(queue, now);
  else if (queue.open === 0) queue.readyAt = null;
}
