import type { Correlation } from '../effects/correlation.js';
import type { Disposition } from './event.js';

/** Whether an event is our own doing. */
export type Origin = Correlation['verdict'];

/** Reason of what a route keeps until it is asked for. */
export const ON_DEMAND = 'on_demand';

/** What became of one match, or of one conversation that follows the subject. */
export interface Verdict {
  readonly route: string | null;
  readonly conversation: string | null;
  readonly sequence: number | null;
  readonly disposition: Disposition;
  readonly reason: string | null;
  /** The run that it began, or that was not to begin. */
  readonly run?: string;
  /** The automation of which it begins a run once it is known not to be our own doing. */
  readonly begins?: { readonly automation: string; readonly source: string; readonly noSubject: string | null };
  /** The conversation was there, and needed no run. */
  readonly continued?: true;
}

export interface Decision {
  readonly disposition: Disposition;
  readonly reason: string | null;
  readonly matched: number;
  readonly verdicts: readonly Verdict[];
}
