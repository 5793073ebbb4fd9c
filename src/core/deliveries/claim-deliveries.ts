import { clock, type Tx } from '../../database/tx.js';
import { insertNotes } from '../conversations/notes.js';
import type { RulesOf } from '../limits/rules.js';
import { isAlive } from '../replicas/replicas.js';
import { type Claim, type ClaimPlan, type Coalesce, planClaim } from './claim.js';
import { type OpenDelivery, openPrefixes, recordFailure } from './deliveries.js';
import { causeOf } from './delivery.js';
import { park, type Queue, wakeAt } from './queue.js';
import { type Busy, lockReady, readyConversations, saveQueues } from './queues.js';
import { type Barrier, readBarriers } from './read-barriers.js';

export interface ClaimRequest {
  readonly owner: number;
  /** How many claims at the most; and of one workspace and organisation, by what this replica already works on. */
  readonly limit: number;
  readonly room: Room;
  readonly coalesce: Coalesce;
  /** The largest number that `coalesce` gives. */
  readonly widest: number;
  readonly rules: RulesOf;
}

export interface Room {
  /** What has no room at all. */
  readonly full: Busy;
  /** Takes a place for one more turn, if there is one. */
  take(workspace: string, org: string): boolean;
}

/** A conversation that was put aside instead, for a person or for another day. */
export interface Parked {
  readonly conversation: string;
  readonly parked: 'looping' | 'spent';
  readonly reason: string;
}

export interface Claimed {
  readonly claims: readonly Claim[];
  readonly parked: readonly Parked[];
  /** Some of what was looked at gave no claim: there may be others behind it. */
  readonly isMore: boolean;
}

/** Messages that wake nobody ride along uncounted: so far is looked for the first that wakes. */
const SILENT_PREFIX = 1000;

const NOTHING: Claimed = { claims: [], parked: [], isMore: false };

/**
 * Claims the heads of conversations that have waited longest. Heads are read after their queue is locked, in a statement of its own:
 * only that snapshot shows what was committed while the lock was awaited. Null: this replica's lease has run out.
 */
export async function claimDeliveries(tx: Tx, request: ClaimRequest): Promise<Claimed | null> {
  const ready = await readyConversations(tx, request.limit, request.room.full);
  const candidates = ready.filter(({ workspace, org }) => request.room.take(workspace, org)).map(({ conversation }) => conversation);
  if (candidates.length === 0) return NOTHING;
  const [isOurTime, queues, now] = await Promise.all([isAlive(tx, request.owner), lockReady(tx, candidates), clock(tx)]);
  if (!isOurTime) return null;
  if (queues.length === 0) return NOTHING;
  const looks = await look(tx, queues, now, request);
  const barriers = await readBarriers(
    tx,
    looks.flatMap(({ queue, plan }) => (plan.verdict === 'claim' ? [{ queue, entries: plan.entries }] : [])),
    request.rules,
    now,
  );
  const claims = looks.flatMap((each) => {
    const barrier = barriers.get(each.queue.conversation);
    return barrier?.parked ? [] : (claimOne(each, barrier, now, request) ?? []);
  });
  const parked = [...barriers.values()].flatMap((barrier) => barrier.parked ?? []);
  for (const each of parked) await putAside(tx, looks, each, now);
  await saveQueues(tx, queues);
  return { claims, parked, isMore: claims.length < queues.length };
}

/** A queue, what is open in it, and what is to become of it. */
interface Look {
  readonly queue: Queue;
  readonly open: readonly OpenDelivery[];
  readonly plan: ClaimPlan;
}

async function look(tx: Tx, queues: readonly Queue[], now: number, request: ClaimRequest): Promise<Look[]> {
  const open = await openDeliveries(tx, queues, request);
  return queues.map((queue) => {
    // The day of a budget has passed; whether the next one's is spent is looked for below.
    if (queue.parked === 'spent') queue.parked = null;
    const entries = open.get(queue.conversation) ?? [];
    return { queue, open: entries, plan: planClaim(queue, entries, now, request.coalesce) };
  });
}

async function openDeliveries(tx: Tx, queues: readonly Queue[], { widest }: ClaimRequest): Promise<Map<string, OpenDelivery[]>> {
  const silent = queues.filter((q) => q.open > q.waking);
  const loud = queues.filter((q) => q.open <= q.waking);
  const ids = (of: readonly Queue[]) => of.map((q) => q.conversation);
  const rows = await Promise.all([openPrefixes(tx, ids(loud), widest), openPrefixes(tx, ids(silent), SILENT_PREFIX)]);
  return Map.groupBy(rows.flat(), (row) => row.conversation);
}

/** Moves the queue to what the plan says; the claim, when it is one. */
function claimOne({ queue, open, plan }: Look, barrier: Barrier | undefined, now: number, { owner, rules }: ClaimRequest): Claim | null {
  const [head] = open;
  queue.head = head?.sequence ?? queue.nextSequence;
  wakeAt(queue, plan.verdict === 'wait' ? plan.readyAt : null);
  if (plan.verdict === 'held') park(queue, 'held');
  if (plan.verdict !== 'claim' || !head) return null;
  const to = plan.entries.at(-1)?.sequence ?? head.sequence;
  const isTurn = head.kind === 'prompt';
  Object.assign(queue, {
    ...{ owner, token: queue.token + 1, claimFrom: head.sequence, claimTo: to, claimedAt: now, readyAt: null },
    ...{ isResting: false, turnTrust: isTurn ? head.trust : null, quietUntil: null, quietLimit: null },
    isSteerable: isTurn && rules(queue.org, queue.workspace).canAppend,
  });
  return {
    ...{
      conversation: queue.conversation,
      token: queue.token,
      owner,
      from: head.sequence,
      to,
      head,
      entries: plan.entries,
      claimedAt: now,
    },
    causedBy: causeOf(plan.entries.map(({ author_kind }) => author_kind)),
    allowance: barrier?.allowance ?? null,
  };
}

async function putAside(
  tx: Tx,
  looks: readonly Look[],
  { conversation, parked, reason, until }: Parked & { until: number | null },
  now: number,
): Promise<void> {
  const { queue, open } = looks.find((each) => each.queue.conversation === conversation) ?? {};
  const head = open?.[0];
  if (!queue || !head) return;
  queue.head = head.sequence;
  park(queue, parked, until);
  await recordFailure(tx, head, { ...head, dueAt: head.due_at, failure: reason });
  await insertNotes(tx, [{ conversation, at: now, by: 'throughline', kind: parked, receipt: null, sequence: head.sequence, reason }]);
}
