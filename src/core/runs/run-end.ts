import type { RunRow } from './run-rows.js';

/** How a run ends. */
export interface RunEnd {
  readonly run: string;
  readonly how: 'complete' | 'fail' | 'cancel' | 'skip';
  /** Of the attempt that ends it; null: whoever is at it. */
  readonly token: number | null;
  /** A word for programs, and one for people. */
  readonly error: string | null;
  readonly detail: string | null;
  /** Trying again cannot mend it: a person has to change something. */
  readonly isPermanent?: boolean;
  /** It ran out of time: a success that comes late counts. */
  readonly isTimedOut?: boolean;
  /** Null: what its turns have cost. */
  readonly costUsd?: number | null;
  /** JSON of what its entrypoint had to say. */
  readonly metadata?: string | null;
}

export interface RunEnded {
  /** As it was before. */
  readonly row: RunRow;
  readonly workspace: string;
  /** A turn of its conversation was stopped. */
  readonly isFenced: boolean;
  /** The run that takes over what was left. */
  readonly restart: string | null;
  /** Why its automation was switched off with it; null: it was not. */
  readonly disabled: string | null;
}
