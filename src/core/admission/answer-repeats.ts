import type { Tx } from '../../database/tx.js';
import { countRepeats, findReceipts, firstDecisions, type KnownReceipt, noteConflicts, type StoredDecision } from '../receipts/receipts.js';
import { answer } from './answer.js';
import type { Decision, Verdict } from './decision.js';
import type { AdmissionAnswer, Disposition } from './event.js';
import type { Admission } from './plan-admission.js';

/** What was there before, and how many of them were not what was there. */
interface Repeated {
  /** By the place of the admission in its group. */
  readonly answers: ReadonlyMap<number, AdmissionAnswer>;
  readonly conflicts: number;
}

/** Answers what the ledger had already with what was decided then; the same id with other content keeps the first and is counted as a conflict. */
export async function answerRepeats(tx: Tx, admissions: readonly Admission[], answered: ReadonlySet<number>): Promise<Repeated> {
  const repeats = admissions.flatMap((admission, index) => (answered.has(index) ? [] : [{ admission, index }]));
  if (repeats.length === 0) return { answers: new Map(), conflicts: 0 };
  const known = await findReceipts(
    tx,
    repeats.map(({ admission }) => admission.identity),
    repeats.flatMap(({ admission }) => admission.digest ?? []),
  );
  const first = repeats.flatMap(({ admission, index }) => {
    const receipt = firstOf(known, admission);
    return receipt ? [{ index, admission, receipt, isConflict: isConflict(receipt, admission) }] : [];
  });
  await countRepeats(
    tx,
    first.map(({ receipt, isConflict }) => ({ receipt: receipt.id, isConflict })),
  );
  const conflicts = first.filter(({ isConflict }) => isConflict);
  await noteConflicts(
    tx,
    conflicts
      .map(({ receipt, admission: { contentHash, event } }) => ({ receipt: receipt.id, contentHash, payloadSize: event.body.length }))
      .toSorted((a, b) => a.receipt - b.receipt || Buffer.compare(a.contentHash, b.contentHash)),
  );
  const decisions = new Map(
    (await firstDecisions(tx, [...new Set(first.map(({ receipt }) => receipt.id))])).map((d) => [d.receipt, read(d)]),
  );
  const answers = first.flatMap(({ index, receipt }): [number, AdmissionAnswer][] => {
    const decision = decisions.get(receipt.id);
    return decision ? [[index, answer(receipt.id, decision, true)]] : [];
  });
  return { answers: new Map(answers), conflicts: conflicts.length };
}

function isConflict({ content_hash: known }: KnownReceipt, { contentHash, event }: Admission): boolean {
  return event.isCopy !== true && !known.equals(contentHash);
}

/** By its id; else by what was signed, when a captured request comes under a new id. */
function firstOf(known: readonly KnownReceipt[], { identity, digest }: Admission): KnownReceipt | undefined {
  return (
    known.find((receipt) => receipt.identity.equals(identity)) ??
    known.find((receipt) => digest !== null && receipt.digest?.equals(digest) === true)
  );
}

function read({ disposition, reason, matched, detail }: StoredDecision): Decision {
  const { verdicts } = JSON.parse(detail) as { verdicts: Verdict[] };
  return { disposition: disposition as Disposition, reason, matched, verdicts };
}
