import { clock, type Tx } from '../../database/tx.js';
import type { Evidence } from '../../plugin/index.js';
import { lockQueues, saveQueues } from '../deliveries/queues.js';
import { type EffectEnd, type EffectRow, lockEffect, markUnknown, saveEnd, saveLateProof } from './effects.js';
import { evidenceHash } from './evidence.js';
import { type Ending, lockWaiting, NOTHING_SETTLED, type Settled, settle } from './settle-candidates.js';

/** What somebody knows about an effect: whoever asked the provider, its reader, or an operator. */
export type Finding =
  | { readonly is: 'present'; readonly evidence: Evidence }
  /** Surely nothing was written; `reason` says in one word how that is known. */
  | { readonly is: 'absent'; readonly reason: string }
  | { readonly is: 'unknown' };

export interface EffectOutcome extends Settled {
  /** As it is now. */
  readonly effect: EffectRow;
  /** False: the finding is no news, or contradicts what was settled before; `effect` says what that is. */
  readonly isNews: boolean;
}

/** How long after the loss of an answer the provider is first asked: what was on its way then must have arrived. */
export const FIRST_READ_MS = 15_000;

/**
 * Ends an effect by what is found of it, and decides every event that waits for it, in this one transaction. What has ended stays as it
 * is, whatever is found later, and so does what `mayEnd` says no to. Null: there is no such effect.
 */
export async function endEffect(
  tx: Tx,
  id: string,
  finding: Finding,
  by: string,
  why: string,
  mayEnd: (effect: EffectRow) => boolean = () => true,
): Promise<EffectOutcome | null> {
  const before = await lockEffect(tx, id);
  if (before === null) return null;
  const settled = mayEnd(before) ? await apply(tx, before, finding, by, why) : null;
  const effect = settled === null ? before : await lockEffect(tx, id);
  return effect && { effect, isNews: settled !== null, ...(settled ?? NOTHING_SETTLED) };
}

/** Null: nothing is to be changed. */
async function apply(tx: Tx, effect: EffectRow, finding: Finding, by: string, why: string): Promise<Settled | null> {
  if (finding.is === 'unknown') return (await markUnknown(tx, effect.id, FIRST_READ_MS)) === 1 ? NOTHING_SETTLED : null;
  if (finding.is === 'absent') return applyAbsence(tx, effect, finding.reason, by, why);
  const { ids, subject = null } = finding.evidence;
  const proof = { hash: evidenceHash(effect, ids), ids };
  if (effect.state === 'executing' || effect.state === 'outcome_unknown')
    return end(tx, effect, { event: 'confirm', reason: null, proof, subject, by, why }, 'other_effect');
  // It had been given up. That is final; yet its callbacks, which are still to come, wake nobody.
  if (effect.state !== 'confirmed') await saveLateProof(tx, effect.id, proof, `${effect.resolved_why ?? ''}; proved later by ${by}`);
  return null;
}

async function applyAbsence(tx: Tx, effect: EffectRow, reason: string, by: string, why: string): Promise<Settled | null> {
  const nothing = { proof: null, subject: null, by, why };
  if (effect.state === 'executing') return end(tx, effect, { event: 'refuse', reason, ...nothing }, 'effect_failed');
  if (effect.state === 'outcome_unknown') return end(tx, effect, { event: 'disprove', reason: null, ...nothing }, 'effect_absent');
  if (effect.state === 'prepared') return end(tx, effect, { event: 'abandon', reason, ...nothing }, 'effect_failed');
  return null;
}

async function end(tx: Tx, effect: EffectRow, ending: EffectEnd, reason: Ending['reason']): Promise<Settled> {
  await saveEnd(tx, effect.id, ending);
  const waiting = await lockWaiting(tx, [{ effect: effect.id, evidence: ending.proof?.hash ?? null, reason, by: ending.by }]);
  const queues = await lockQueues(tx, waiting.conversations);
  const settled = await settle(tx, waiting, queues, await clock(tx));
  await saveQueues(tx, [...queues.values()]);
  return settled;
}
