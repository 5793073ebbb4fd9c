import type { Subject } from '../../plugin/index.js';
import { type EffectState, UNDECIDED, WINDOW } from './effect.js';

/** An event, as far as it may be the callback of a write of ours. */
export interface Callback {
  readonly scope: Buffer;
  readonly subject: Subject | null;
  readonly evidence: Buffer;
  /** As `CallbackEvidence.marker`. */
  readonly marker: string | null | undefined;
  /** When it happened. */
  readonly at: number;
}

/** A write of ours, as far as an event may be its callback. */
export interface KnownEffect {
  readonly id: string;
  readonly state: EffectState;
  readonly scope: Buffer;
  /** Null: any subject's. */
  readonly subject: Subject | null;
  readonly marker: string | null;
  /** Null: the provider's answer is not known. */
  readonly evidence: Buffer | null;
  readonly attemptedAt: number;
}

export interface Correlation {
  /**
   * `proof`: it carries the id of an undecided effect, which it thereby confirms. `echo`: its effect is known.
   * `hold`: one of the effects may have caused it. `foreign`: none has.
   */
  readonly verdict: 'proof' | 'echo' | 'hold' | 'foreign';
  readonly effects: readonly string[];
}

export const FOREIGN: Correlation = { verdict: 'foreign', effects: [] };

/** Is this event our own doing? Evidence decides, never who acted. */
export function correlate(callback: Callback, effects: readonly KnownEffect[]): Correlation {
  const about = effects.filter((effect) => isAbout(effect, callback));
  const own = about.find((effect) => proves(callback, effect));
  if (own) return { verdict: UNDECIDED.includes(own.state) ? 'proof' : 'echo', effects: [own.id] };
  const suspects = about.filter(
    (effect) => UNDECIDED.includes(effect.state) && !tellsByMarker(callback, effect) && isTimely(callback, effect),
  );
  return suspects.length === 0 ? FOREIGN : { verdict: 'hold', effects: suspects.map(({ id }) => id) };
}

function isAbout(effect: KnownEffect, callback: Callback): boolean {
  if (!effect.scope.equals(callback.scope)) return false;
  const { subject } = effect;
  return subject === null || (subject.namespace === callback.subject?.namespace && subject.key === callback.subject.key);
}

/** An id of ours is the evidence where there is one; whatever else is the same does not matter then. */
function proves(callback: Callback, effect: KnownEffect): boolean {
  if (tellsByMarker(callback, effect)) return callback.marker === effect.marker;
  return effect.evidence?.equals(callback.evidence) ?? false;
}

function tellsByMarker(callback: Callback, effect: KnownEffect): boolean {
  return effect.marker !== null && callback.marker !== undefined;
}

function isTimely({ at }: Callback, { attemptedAt }: KnownEffect): boolean {
  return at >= attemptedAt - WINDOW.beforeMs && at <= attemptedAt + WINDOW.afterMs;
}
