import type { Tx } from '../../database/tx.js';
import { heldConversations, releaseHeld, suppressHeld, type Unheld } from '../deliveries/holds.js';
import { type Queue, unhold } from '../deliveries/queue.js';
import { insertDecisions, latestDecisions, lockReceipts, type StoredDecision } from '../receipts/receipts.js';
import type { NewRun } from '../runs/runs.js';
import { beginReleased, type Released } from './begin-released.js';
import { type Candidate, candidatesOf, deleteCandidates, deleteCandidatesOf, stillCandidates } from './candidates.js';
import { OWN_EFFECT, type RELEASES } from './effect.js';

/** The end of an effect, as far as its candidates are concerned. */
export interface Ending {
  readonly effect: string;
  /** Null: it did not happen, so nothing was caused by it. */
  readonly evidence: Buffer | null;
  /** Why what it did not cause is released. */
  readonly reason: (typeof RELEASES)[number];
  readonly by: string;
}

/** The events that wait for these effects, and the conversations in which they are held. */
export interface Waiting {
  readonly endings: readonly Ending[];
  readonly candidates: readonly Candidate[];
  readonly conversations: readonly string[];
}

export interface Settled {
  readonly suppressed: readonly Unheld[];
  readonly released: readonly Unheld[];
  /** The runs that what was released begins. */
  readonly begun: readonly NewRun[];
}

export const NOTHING_SETTLED: Settled = { suppressed: [], released: [], begun: [] };

/**
 * What waits for effects that this transaction has locked and ended. Locks the receipts, as everybody does who decides about one again,
 * and says which queues to lock: two effects that end at once must not each leave the last word about a common candidate to the other.
 */
export async function lockWaiting(tx: Tx, endings: readonly Ending[]): Promise<Waiting> {
  const candidates = await candidatesOf(
    tx,
    endings.map(({ effect }) => effect),
  );
  const receipts = distinct(candidates.map(({ receipt }) => receipt));
  if (receipts.length === 0) return { endings, candidates, conversations: [] };
  await lockReceipts(tx, receipts);
  return { endings, candidates, conversations: await heldConversations(tx, receipts) };
}

/**
 * Decides the events that waited for these effects, where their conversations' queues are locked: an equal evidence suppresses, the
 * last effect that did not cause it releases. Changes the queues that are given; the caller writes them.
 */
export async function settle(tx: Tx, { endings, candidates }: Waiting, queues: ReadonlyMap<string, Queue>, now: number): Promise<Settled> {
  if (candidates.length === 0) return NOTHING_SETTLED;
  const byEffect = new Map(endings.map((ending) => [ending.effect, ending]));
  const isOwn = ({ effect, evidence }: Candidate) => byEffect.get(effect)?.evidence?.equals(evidence) ?? false;
  const own = candidates.filter(isOwn);
  const ownReceipts = new Set(own.map(({ receipt }) => receipt));
  const others = candidates.filter(({ receipt }) => !ownReceipts.has(receipt));
  await deleteCandidatesOf(tx, [...byEffect.keys()]);
  await deleteCandidates(tx, [...ownReceipts]);
  const waiting = await stillCandidates(tx, distinct(others.map(({ receipt }) => receipt)));
  const free = others.filter(({ receipt }) => !waiting.has(receipt));
  const suppressed = await suppressHeld(tx, [...ownReceipts], OWN_EFFECT);
  const released = await releaseHeld(tx, distinct(free.map(({ receipt }) => receipt)));
  for (const each of suppressed) unholdIn(queues, each, 'suppressed', now);
  for (const each of released) unholdIn(queues, each, 'released', now);
  const verdicts = [...verdictsOf(own, suppressed, byEffect), ...verdictsOf(free, released, byEffect)];
  const earlier = await decidedBefore(tx, verdicts);
  const begun = await beginReleased(tx, releasedIn(earlier, released), queues, now);
  await recordDecisions(tx, verdicts, { earlier, begun }, now);
  return { suppressed, released, begun };
}

/** Conversations that are to be looked at after the commit. */
export function concerned({ suppressed, released }: Settled): string[] {
  return [...new Set([...suppressed, ...released].map(({ conversation }) => conversation))];
}

function unholdIn(queues: ReadonlyMap<string, Queue>, entry: Unheld, how: 'suppressed' | 'released', now: number): void {
  const queue = queues.get(entry.conversation);
  if (!queue) throw new Error(`the queue of ${entry.conversation} is not locked`);
  unhold(queue, entry, how, now);
}

interface FinalVerdict {
  readonly receipt: number;
  readonly ending: Ending;
  readonly isOwn: boolean;
  readonly changed: readonly Unheld[];
}

/** One for each receipt of which something was still held. */
function verdictsOf(candidates: readonly Candidate[], changed: readonly Unheld[], byEffect: ReadonlyMap<string, Ending>): FinalVerdict[] {
  const byReceipt = Map.groupBy(changed, ({ receipt }) => receipt);
  const last = new Map(candidates.map((candidate) => [candidate.receipt, candidate]));
  return [...last.values()].flatMap(({ receipt, effect, evidence }) => {
    const ending = byEffect.get(effect);
    const of = byReceipt.get(receipt);
    return ending && of ? [{ receipt, ending, isOwn: ending.evidence?.equals(evidence) ?? false, changed: of }] : [];
  });
}

async function decidedBefore(tx: Tx, verdicts: readonly FinalVerdict[]): Promise<ReadonlyMap<number, StoredDecision>> {
  if (verdicts.length === 0) return new Map();
  const earlier = await latestDecisions(
    tx,
    verdicts.map(({ receipt }) => receipt),
  );
  return new Map(earlier.map((decision) => [decision.receipt, decision]));
}

/** Those that were to begin a run of an automation, by what was decided when they were held. */
function releasedIn(earlier: ReadonlyMap<number, StoredDecision>, released: readonly Unheld[]): Released[] {
  return released.flatMap((each): Released[] => {
    const before = earlier.get(each.receipt);
    const begins = before === undefined ? undefined : verdictsIn(before).find((verdict) => isAt(each, verdict))?.begins;
    return begins === undefined ? [] : [{ ...each, ...begins }];
  });
}

async function recordDecisions(
  tx: Tx,
  verdicts: readonly FinalVerdict[],
  { earlier, begun }: { readonly earlier: ReadonlyMap<number, StoredDecision>; readonly begun: readonly NewRun[] },
  now: number,
): Promise<void> {
  if (verdicts.length === 0) return;
  await insertDecisions(
    tx,
    verdicts.flatMap((verdict) => {
      const before = earlier.get(verdict.receipt);
      return before ? [finalDecision(before, verdict, begun, now)] : [];
    }),
  );
}

/** As accept has written it, as far as this looks at it. */
interface StoredVerdict {
  readonly conversation: string | null;
  readonly sequence: number | null;
  readonly begins?: Pick<Released, 'automation' | 'source' | 'noSubject'>;
}

function verdictsIn({ detail }: StoredDecision): readonly StoredVerdict[] {
  return (JSON.parse(detail) as { verdicts: StoredVerdict[] }).verdicts;
}

function isAt(place: { readonly conversation: string; readonly sequence: number | null }, verdict: StoredVerdict): boolean {
  return place.conversation === verdict.conversation && place.sequence === verdict.sequence;
}

/** The decision before it, with its held deliveries as they are now. */
function finalDecision(
  before: StoredDecision,
  { ending, isOwn, changed }: FinalVerdict,
  begun: readonly NewRun[],
  now: number,
): StoredDecision {
  const [disposition, reason] = isOwn ? ['suppressed', OWN_EFFECT] : ['routed', ending.reason];
  const { verdicts, ...rest } = JSON.parse(before.detail) as { verdicts: StoredVerdict[] };
  const decided = verdicts.map((verdict) => {
    if (!changed.some((each) => isAt(each, verdict))) return verdict;
    const { begins: _, ...same } = verdict;
    const run = begun.find((each) => isAt(each, verdict))?.id;
    return { ...same, disposition, reason, ...(run !== undefined && { run }) };
  });
  const detail = JSON.stringify({ ...rest, verdicts: decided, effects: [ending.effect] });
  return { ...before, number: before.number + 1, decided_at: now, decided_by: ending.by, disposition, reason, detail };
}

function distinct(values: readonly number[]): number[] {
  return [...new Set(values)];
}
