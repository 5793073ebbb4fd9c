import { EventEmitter } from 'node:events';

interface Events {
  /** Something may be claimable. */
  ready: [];
  /** The claims of these conversations were taken away: whoever works on them stops. */
  fenced: [conversations: readonly string[]];
  /**
   * All the claims that are still this replica's, by the database: conversation and token; none when it lost its lease.
   * Claims made after `asOf` (by `performance.now()`) may be missing.
   */
  claims: [claims: ReadonlyMap<string, number>, asOf: number];
  /** So many claims were taken back from replicas that were lost. */
  expired: [claims: number];
  /** An admission or a turn was decided; for whoever shows it as it happens. */
  activity: [conversation: string];
}

/** What this process tells itself after a commit. A lost signal costs a poll interval, never a message. */
export class Signals extends EventEmitter<Events> {
  constructor() {
    super();
    this.setMaxListeners(0);
  }
}
