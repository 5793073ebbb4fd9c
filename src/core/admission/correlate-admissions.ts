import type { Tx } from '../../database/tx.js';
import { type Callback, type Correlation, correlate, FOREIGN, type KnownEffect } from '../effects/correlation.js';
import { OWN_EFFECT, RELEASES } from '../effects/effect.js';
import { saveEnd } from '../effects/effects.js';
import { type Ending, lockWaiting, type Waiting } from '../effects/settle-candidates.js';
import { lockUndecided, provenEffects, type Sought } from '../effects/suspects.js';
import { decidedFor } from '../receipts/receipts.js';
import type { Admission, Fresh, PlannedCallback } from './plan-admission.js';

/** Which events of a group are our own doing, or may be. */
export interface Correlated {
  /** By receipt; those that carry no evidence are not in it. */
  readonly byReceipt: ReadonlyMap<number, Correlation>;
  /** What waited for effects that the group itself has proved. */
  readonly waiting: Waiting;
}

type Carrying = Fresh & { readonly callback: PlannedCallback };

/**
 * Locks what the events of a group may be callbacks of, before anything else is locked: an effect is decided either before all of
 * them or after. Null: no event carries evidence, and nothing is asked.
 */
export async function lockEffectsOf(
  tx: Tx,
  admissions: readonly Admission[],
): Promise<{ sought: Sought; undecided: KnownEffect[] } | null> {
  const callbacks = admissions.flatMap(({ callback }) => callback ?? []);
  if (callbacks.length === 0) return null;
  const sought: Sought = {
    scopes: distinctBytes(callbacks.map(({ scope }) => scope)),
    keys: [...new Set(callbacks.flatMap(({ subject }) => subject?.key ?? []))],
    evidence: distinctBytes(callbacks.map(({ evidence }) => evidence)),
    markers: [...new Set(callbacks.flatMap(({ marker }) => marker ?? []))],
    since: Math.min(...callbacks.map(({ occurredAt }) => occurredAt ?? 0)),
  };
  return { sought, undecided: await lockUndecided(tx, sought) };
}

/** Asks with a constant number of statements, and confirms the effects whose ids the events show. */
export async function correlateAdmissions(
  tx: Tx,
  fresh: readonly Fresh[],
  locked: Awaited<ReturnType<typeof lockEffectsOf>>,
  now: number,
): Promise<Correlated> {
  const carrying = fresh.flatMap((each): Carrying[] => (each.admission.callback ? [{ ...each, callback: each.admission.callback }] : []));
  if (locked === null || carrying.length === 0) return { byReceipt: new Map(), waiting: NOTHING_WAITS };
  const decided = await provenEffects(tx, locked.sought);
  const final = await finalVerdicts(tx, carrying);
  const effects = new Map([...locked.undecided, ...decided].map((effect) => [effect.id, effect]));
  const endings = await confirmProved(tx, carrying, effects, now, final);
  const byReceipt = new Map(
    carrying.map(({ receipt, callback }) => [receipt, final.get(receipt) ?? correlate(at(callback, now), [...effects.values()])]),
  );
  return { byReceipt, waiting: endings.length === 0 ? NOTHING_WAITS : await lockWaiting(tx, endings) };
}

const NOTHING_WAITS: Waiting = { endings: [], candidates: [], conversations: [] };

/** First of all: what is confirmed by one event of the group is confirmed for the others too. Puts the effects as they then are into the map. */
async function confirmProved(
  tx: Tx,
  carrying: readonly Carrying[],
  effects: Map<string, KnownEffect>,
  now: number,
  final: ReadonlyMap<number, Correlation>,
): Promise<Ending[]> {
  const endings: Ending[] = [];
  for (const { receipt, callback } of carrying) {
    if (final.has(receipt)) continue;
    const { verdict, effects: of } = correlate(at(callback, now), [...effects.values()]);
    const effect = verdict === 'proof' ? effects.get(of[0] ?? '') : undefined;
    if (!effect) continue;
    const { evidence, ids, subject } = callback;
    const proof = { hash: evidence, ids };
    const by = 'accept';
    await saveEnd(tx, effect.id, { event: 'confirm', reason: null, proof, subject, by, why: `receipt ${receipt} shows its id` });
    effects.set(effect.id, { ...effect, state: 'confirmed', evidence, subject: effect.subject ?? subject });
    endings.push({ effect: effect.id, evidence, reason: 'other_effect', by });
  }
  return endings;
}

/** What was decided about a stored receipt stays so, however often it is decided about again. */
async function finalVerdicts(tx: Tx, carrying: readonly Carrying[]): Promise<Map<number, Correlation>> {
  const replayed = carrying.filter(({ admission }) => admission.replayOf !== null);
  const receipts = replayed.map(({ receipt }) => receipt);
  const verdicts = await decidedFor(tx, receipts, OWN_EFFECT, RELEASES);
  return new Map(verdicts.map(({ receipt, is_own }) => [receipt, is_own === 1 ? OWN : FOREIGN]));
}

/** Which effect it was stands in the decision of then. */
const OWN: Correlation = { verdict: 'echo', effects: [] };

function at({ occurredAt, ...callback }: PlannedCallback, now: number): Callback {
  return { ...callback, at: occurredAt ?? now };
}

function distinctBytes(values: readonly Buffer[]): Buffer[] {
  return [...new Map(values.map((value) => [value.toString('hex'), value])).values()];
}
