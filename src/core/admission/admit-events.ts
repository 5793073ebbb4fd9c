import { clock, type Tx } from '../../database/tx.js';
import { NotFound } from '../../plugin/index.js';
import { insertAudit } from '../audit/audits.js';
import { type EarlyMessage, insertEarly } from '../controls/early-messages.js';
import { insertErrands } from '../controls/errands.js';
import { type Candidate, insertCandidates } from '../effects/candidates.js';
import { type Correlation, FOREIGN } from '../effects/correlation.js';
import { concerned, settle } from '../effects/settle-candidates.js';
import { insertKept, type KeptEvent } from '../kept-events/kept-events.js';
import { noteRefusals, type Refusal } from '../notices/notices.js';
import { PAYLOAD_LIMIT } from '../receipts/receipt.js';
import {
  insertDecisions,
  insertReceipts,
  lockReceipts,
  type NewReceipt,
  nextDecisionNumbers,
  type StoredDecision,
} from '../receipts/receipts.js';
import { storable } from '../storable.js';
import { answer } from './answer.js';
import { answerRepeats } from './answer-repeats.js';
import { bindThreads } from './bind-threads.js';
import { correlateAdmissions, lockEffectsOf } from './correlate-admissions.js';
import { decideAdmission } from './decide-admission.js';
import { type Decision, ON_DEMAND } from './decision.js';
import { errandsOf } from './errands-of.js';
import type { AdmissionAnswer } from './event.js';
import { saveLandmarks } from './landmarks.js';
import { PayloadUnavailable } from './payload-unavailable.js';
import type { Admission, Fresh } from './plan-admission.js';
import { bringUpToDate, readStarts } from './read-starts.js';
import { lockWorld, readClaims, readEarlyChanges, readMessages } from './read-world.js';
import { fencedIn, hasEndedIn, hasReopenedIn, isReadyIn, steeredIn, writeWorld } from './write-world.js';

const AUTHOR_LIMIT = 255;

export interface Admitted {
  /** One answer an admission, in their order. */
  readonly answers: readonly AdmissionAnswer[];
  /** Conversations whose running turn was fenced: whoever runs it must stop. */
  readonly fenced: readonly string[];
  /** Conversations in which something that was held was decided. */
  readonly settled: readonly string[];
  /** Conversations whose running turn has got more messages: whoever runs it hands them over. */
  readonly steered: readonly string[];
  /** People who were refused for the first time today. */
  readonly refused: readonly Refusal[];
  /** Events that came under the id of another one. */
  readonly conflicts: number;
  /** Something became claimable. */
  readonly isReady: boolean;
  /** Ends left something to do. */
  readonly hasJobs: boolean;
  /** Something is to be done at channels. */
  readonly hasErrands: boolean;
  /** Runs wait to be begun. */
  readonly hasRuns: boolean;
}

/**
 * The accept transaction, for as many events as arrived together: receipts, decisions, conversations, deliveries and the ends of
 * conversations, all or nothing. Locks are taken in one order: effects, receipts by identity, subjects, queues by conversation.
 */
export async function admitEvents(tx: Tx, admissions: readonly Admission[]): Promise<Admitted> {
  const effects = await lockEffectsOf(tx, admissions);
  const { fresh: taken, now } = await takeReceipts(tx, admissions);
  const { fresh: planned, automations } = await bringUpToDate(tx, await bindThreads(tx, taken));
  const correlated = await correlateAdmissions(tx, planned, effects, now);
  const world = await lockWorld(tx, planned, correlated.waiting.conversations, now);
  const settlement = await settle(tx, correlated.waiting, world.queues(), now);
  const settled = concerned(settlement);
  world.touch(settled);
  world.starts.know(automations);
  const fresh = await readStarts(tx, world, planned);
  await readMessages(tx, world, fresh);
  await readEarlyChanges(tx, world, fresh);
  await readClaims(tx, world, fresh);
  const decided = fresh.map((each): Decided => {
    const correlation = correlated.byReceipt.get(each.receipt) ?? FOREIGN;
    return { ...each, correlation, decision: decideAdmission(world, each.admission, each.receipt, correlation.verdict) };
  });
  await writeWorld(tx, world);
  await saveLandmarks(tx, world, fresh);
  await insertCandidates(tx, decided.flatMap(candidatesOf), now);
  const numbers = await nextDecisionNumbers(
    tx,
    fresh.filter(({ admission }) => admission.replayOf !== null).map(({ receipt }) => receipt),
  );
  await insertDecisions(
    tx,
    decided.map((each) => stored(each, numbers.get(each.receipt) ?? 0, world.now)),
  );
  for (const { admission } of fresh) if (admission.audit !== null) await insertAudit(tx, admission.audit);
  await insertKept(tx, decided.flatMap(keptOf));
  await insertEarly(tx, decided.flatMap(earlyOf), now);
  const errands = decided.flatMap(errandsOf);
  await insertErrands(tx, errands, now);
  const refused = await noteRefusals(tx, decided.flatMap(refusalOf), now);
  const answers = new Map(decided.map(({ index, receipt, decision }) => [index, answer(receipt, decision)]));
  const repeats = await answerRepeats(tx, admissions, new Set(answers.keys()));
  return {
    answers: admissions.map((_, index) => answers.get(index) ?? required(repeats.answers.get(index))),
    settled,
    refused,
    conflicts: repeats.conflicts,
    fenced: fencedIn(world),
    steered: steeredIn(world),
    isReady: isReadyIn(world),
    hasJobs: hasEndedIn(world),
    hasErrands: errands.length > 0 || hasReopenedIn(world),
    hasRuns: world.starts.hasQueued || settlement.begun.length > 0,
  };
}

type Decided = Fresh & { readonly correlation: Correlation; readonly decision: Decision };

/** What waits for which effect: an event of which something is held. */
function candidatesOf({ admission: { callback }, receipt, correlation, decision }: Decided): Candidate[] {
  if (callback === null || !decision.verdicts.some(({ disposition }) => disposition === 'held')) return [];
  return correlation.effects.map((effect) => ({ effect, receipt, evidence: callback.evidence }));
}

/** For whom it is kept: each route that is to be asked for it. */
function keptOf({ admission: { event }, receipt, decision }: Decided): KeptEvent[] {
  if (event.parsed.kind !== 'prompt') return [];
  return decision.verdicts.flatMap(({ route, reason }) =>
    reason === ON_DEMAND && route !== null ? [{ org: event.org, route, receipt }] : [],
  );
}

function earlyOf({ admission: { early }, receipt }: Decided): EarlyMessage[] {
  return early === null ? [] : [{ ...early, receipt }];
}

/** Nobody is told of what an operator decides again, and no machine is told of anything. */
function refusalOf({ admission: { event, isReplay }, receipt, decision }: Decided): Refusal[] {
  const { org, source, parsed } = event;
  const isPerson = parsed.author !== undefined && !parsed.author.isBot && !parsed.author.isSelf;
  if (!isPerson || isReplay || decision.disposition !== 'ignored' || decision.reason !== 'author_not_allowed') return [];
  return [{ org, source, author: storable(parsed.author.id, AUTHOR_LIMIT), receipt }];
}

/** The admissions that are new to the ledger, and those that decide about a stored receipt again. */
async function takeReceipts(tx: Tx, admissions: readonly Admission[]): Promise<{ fresh: Fresh[]; now: number }> {
  const inserting = admissions.filter(({ replayOf }) => replayOf === null).toSorted((a, b) => Buffer.compare(a.identity, b.identity));
  const inserted = await insertReceipts(tx, inserting.map(receiptOf));
  await lockReplayed(
    tx,
    admissions.flatMap(({ replayOf }) => replayOf ?? []),
  );
  const byIdentity = new Map(inserted.map((row) => [row.identity.toString('hex'), row.id]));
  const fresh: Fresh[] = [];
  admissions.forEach((admission, index) => {
    const key = admission.identity.toString('hex');
    const receipt = admission.replayOf ?? byIdentity.get(key);
    if (receipt === undefined) return;
    if (admission.replayOf === null) byIdentity.delete(key); // the first of a group that came twice is the new one
    fresh.push({ index, admission, receipt });
  });
  return { fresh, now: inserted[0]?.received_at ?? (await clock(tx)) };
}

/** What was pruned or purged since it was read is not to come back by deciding about it. */
async function lockReplayed(tx: Tx, receipts: readonly number[]): Promise<void> {
  const locked = new Map((await lockReceipts(tx, receipts)).map((row) => [row.id, row]));
  for (const id of receipts) {
    const row = locked.get(id);
    if (row === undefined) throw new NotFound(`there is no receipt ${id}`);
    if (row.purged_at !== null) throw new PayloadUnavailable(`receipt ${id} was purged`);
  }
}

function receiptOf({ event, identity, digest, contentHash }: Admission): NewReceipt {
  const { org, provider, source, deliveryId: id, eventKey, body } = event;
  const isCut = body.length > PAYLOAD_LIMIT;
  return {
    ...{ org, provider, source, deliveryId: id, eventKey, identity, digest, contentHash },
    parsed: JSON.stringify(event.parsed),
    payload: isCut ? body.subarray(0, PAYLOAD_LIMIT) : body,
    payloadSize: body.length,
    payloadCut: isCut,
    secretIndex: event.secretIndex ?? -1,
  };
}

function stored({ admission, receipt, correlation, decision }: Decided, number: number, now: number): StoredDecision {
  const { disposition, reason, matched, verdicts } = decision;
  const { effects } = correlation;
  const detail = JSON.stringify({ verdicts, refusals: admission.refusals, ...(effects.length === 0 ? {} : { effects }) });
  return { receipt, number, decided_at: now, decided_by: admission.by, disposition, reason, matched, detail };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('an admission was neither new nor known');
  return value;
}
