import type { Observation } from './subject.js';

/** A state as the provider was asked for it, rather than told of it by an event. */
export type ReadState = Omit<Observation, 'transition'>;

/**
 * What the provider's own look at a delivery makes of it. Whatever the verdict, a state beside it is applied to the subject and to all
 * its conversations, exactly as if an event had carried it; one that ends the conversation makes the delivery its lifecycle delivery.
 */
export type Verdict =
  /** It goes on as it is. */
  | { readonly verdict: 'proceed'; readonly observation?: ReadState }
  /** It is completed without a turn; `reason` in one word, for example `stale_state`. */
  | { readonly verdict: 'ignore'; readonly reason: string; readonly observation?: ReadState }
  /** It only says how its subject's life went on, and wakes nobody. */
  | { readonly verdict: 'lifecycle'; readonly observation: ReadState; readonly context?: Readonly<Record<string, unknown>> };
