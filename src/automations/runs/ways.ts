import type { ClaimedRun } from '../../core/runs/claim-runs.js';

/** A way in which runs come to an open conversation, by the kind of their runtime. */
export interface RunWay {
  /**
   * Resolves when the conversation of the run is open, or to `later` where something else will say so. May be repeated until something of
   * it has begun. Throws `RunFailure` where another try is pointless; anything else is tried again.
   */
  open(run: ClaimedRun, signal: AbortSignal): Promise<'open' | 'later'>;
  /** Watches what was begun, until it has ended or the signal says stop. */
  watch?(run: ClaimedRun, signal: AbortSignal): Promise<void>;
}

/** Chooses it for a run. Throws `RunFailure` where its runtime is not there. */
export type WayOf = (run: ClaimedRun) => RunWay;

/** Runtimes of this machine: a turn makes what it needs, so there is nothing to make before. */
export const AT_ONCE: RunWay = { open: async () => 'open' };
