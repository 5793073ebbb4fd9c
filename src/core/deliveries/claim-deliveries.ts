import { clock, type Tx } from '../../database/tx.js';
import { isAlive } from '../replicas/replicas.js';
import { type Claim, type Coalesce, planClaim } from './claim.js';
import { type OpenDelivery, openPrefixes } from './deliveries.js';
import type { Queue } from './queue.js';
import { type Busy, lockReady, readyConversations, saveQueues } from './queues.js';

export interface ClaimRequest {
  readonly owner: number;
  /** How many claims at the most; and of one workspace and organisation, by what this replica already works on. */
  readonly limit: number;
  readonly room: Room;
  readonly coalesce: Coalesce;
  /** The largest number that `coalesce` gives. */
  readonly widest: number;
}

export interface Room {
  /** What has no room at all. */
  readonly full: Busy;
  /** Takes a place for one more turn, if there is one. */
  take(workspace: string, org: string): boolean;
}

/** Messages that wake nobody ride along uncounted: so far is looked for the first that wakes. */
const SILENT_PREFIX = 1000;

/**
 * Claims the heads of conversations that have waited longest. Heads are read after their queue is locked, in a statement of its own:
 * only that snapshot shows what was committed while the lock was awaited. Null: this replica's lease has run out.
 */
export async function claimDeliveries(tx: Tx, request: ClaimRequest): Promise<Claim[] | null> {
  const ready = await readyConversations(tx, request.limit, request.room.full);
  const candidates = ready.filter(({ workspace, org }) => request.room.take(workspace, org)).map(({ conversation }) => conversation);
  if (candidates.length === 0) return [];
  if (!(await isAlive(tx, request.owner))) return null;
  const queues = await lockReady(tx, candidates);
  if (queues.length === 0) return [];
  const now = await clock(tx);
  const open = await openDeliveries(tx, queues, request);
  const claims = queues.flatMap((queue) => claimOne(queue, open.get(queue.conversation) ?? [], now, request) ?? []);
  await saveQueues(tx, queues);
  return claims;
}

async function openDeliveries(tx: Tx, queues: readonly Queue[], { widest }: ClaimRequest): Promise<Map<string, OpenDelivery[]>> {
  const silent = queues.filter((q) => q.open > q.waking);
  const loud = queues.filter((q) => q.open <= q.waking);
  const ids = (of: readonly Queue[]) => of.map((q) => q.conversation);
  const rows = [...(await openPrefixes(tx, ids(loud), widest)), ...(await openPrefixes(tx, ids(silent), SILENT_PREFIX))];
  return Map.groupBy(rows, (row) => row.conversation);
}

/** Moves the queue to what the plan says; the claim, when it is one. */
function claimOne(queue: Queue, open: readonly OpenDelivery[], now: number, { owner, coalesce }: ClaimRequest): Claim | null {
  const plan = planClaim(queue, open, now, coalesce);
  const [head] = open;
  queue.head = head?.sequence ?? queue.nextSequence;
  queue.readyAt = plan.verdict === 'wait' ? plan.readyAt : null;
  if (plan.verdict === 'held') queue.parked = 'held';
  if (plan.verdict !== 'claim' || !head) return null;
  const to = plan.entries.at(-1)?.sequence ?? head.sequence;
  queue.owner = owner;
  queue.token += 1;
  queue.claimFrom = head.sequence;
  queue.claimTo = to;
  queue.claimedAt = now;
  return {
    conversation: queue.conversation,
    token: queue.token,
    owner,
    from: head.sequence,
    to,
    head,
    entries: plan.entries,
    claimedAt: now,
  };
}
