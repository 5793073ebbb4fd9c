import type { Observation } from './subject.js';

/** A state as the provider was asked for it, rather than told of it by an event. */
export type ReadState = Omit<Observation, 'transition'>;

/**
 * What the provider's own look at a delivery makes of it. Whatever the verdict, a state beside it is applied to the subject and to all
 * its conversations, exactly as if an event had carried it; one that ends the conversation makes the delivery its lifecycle delivery.
 *
 * `proceed`: it goes on as it is. `ignore`: it is completed without a turn; `reason` in one word, for example `stale_state`.
 * `lifecycle`: it only says how its subject's life went on, and wakes nobody.
 */
export type Verdict = Beside &
  (
    | { readonly verdict: 'proceed'; readonly observation?: ReadState }
    | { readonly verdict: 'ignore'; readonly reason: string; readonly observation?: ReadState }
    | { readonly verdict: 'lifecycle'; readonly observation: ReadState }
  );

interface Beside {
  /** What the lifecycle handler needs to know, should the state beside it be the end; small, JSON. */
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * Name of the workspace that the subject belongs to by now, as the provider's own order of things says: the conversation moves there,
   * with its memory. One that is not configured is refused.
   */
  readonly workspace?: string;
}
