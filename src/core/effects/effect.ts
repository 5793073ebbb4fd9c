import { machine } from '../machine.js';

/**
 * A write of ours at a provider: what we are about to do, do, or did.
 *
 *   prepared           recorded; the provider knows nothing of it yet
 *   executing          the provider is being asked; its callbacks may come at any moment
 *   confirmed          it happened, and its evidence is known
 *   failed             it surely did not happen
 *   outcome_unknown    nobody knows: callbacks that it may have caused stay held
 *   reconciled_absent  nobody knew, and then it was found not to have happened
 */
export const effect = machine('effect', {
  prepared: { execute: 'executing', abandon: 'failed' },
  executing: { confirm: 'confirmed', refuse: 'failed', lose: 'outcome_unknown' },
  outcome_unknown: { confirm: 'confirmed', disprove: 'reconciled_absent' },
  confirmed: {},
  failed: {},
  reconciled_absent: {},
});

export type EffectState = 'prepared' | 'executing' | 'confirmed' | 'failed' | 'outcome_unknown' | 'reconciled_absent';

/** In these states a callback may be its own. */
export const UNDECIDED: readonly EffectState[] = ['executing', 'outcome_unknown'];

/** In these states its end is still to come. */
export const UNFINISHED: readonly EffectState[] = ['prepared', ...UNDECIDED];

/** How long evidence is kept: so long do other sources and retries get the same verdict. */
export const EVIDENCE_KEPT_MS = 7 * 24 * 3_600_000;

const MINUTE = 60_000;
/** Around the attempt, an event may be its callback: provider clocks may be behind, and callbacks late. */
export const WINDOW = { beforeMs: 5 * MINUTE, afterMs: 24 * 60 * MINUTE };

/** Why an event makes no turn: it is the callback of a write of ours. */
export const OWN_EFFECT = 'own_effect';

/** Why what an effect did not cause is released, as codes. */
export const RELEASES = ['other_effect', 'effect_failed', 'effect_absent'] as const;
