import { EventEmitter } from 'node:events';
import type { Refusal } from './notices/notices.js';

interface Events {
  /** Something may be claimable. */
  ready: [];
  /** The claims of these conversations were taken away: whoever works on them stops. */
  fenced: [conversations: readonly string[]];
  /** Another replica says that claims of these conversations were taken away or changed: whoever works on one looks what it is now. */
  suspected: [conversations: readonly string[]];
  /** A source of events was given up or taken away: whoever can take it looks. */
  sources: [];
  /** Automations were made, changed, switched or deleted: whoever keeps a view of them reads them anew. */
  automations: [];
  /** Custom webhooks were made, changed or deleted: whoever keeps a view of them reads them anew. */
  webhooks: [];
  /** Runs wait to be begun. */
  runs: [];
  /** A run has ended: whoever is at it stops. */
  ended: [run: string, how: 'complete' | 'fail' | 'cancel' | 'skip', error: string | null];
  /** Messages joined the claims of these conversations, or a person paused or resumed them: whoever works on them looks again. */
  steered: [conversations: readonly string[]];
  /** Conversations were put aside for a person: their machines loop, or what turns may cost is spent. */
  parked: [kind: 'looping' | 'spent'];
  /** The lease ran out: nothing that was claimed under it may go on. */
  lost: [];
  /** So many claims were taken back from replicas that were lost. */
  expired: [claims: number];
  /** The end of a conversation left something to do. */
  jobs: [];
  /** Something has failed so often that a person should look; nothing is given up. */
  alert: [about: 'lifecycle' | 'preparation' | 'cleanup' | 'control'];
  /** Something is to be done at a channel. */
  errands: [];
  /** People whom no route lets in were refused for the first time of the day: whoever can tell them quietly does. */
  refused: [refusals: readonly Refusal[]];
  /** So many events came under the id of another one. */
  conflicts: [count: number];
  /** Something was asked of people in these conversations, or decided: whoever waits for it looks. */
  approvals: [conversations: readonly string[]];
  /** So many of a kind outlived their time and are gone. */
  pruned: [kind: string, count: number];
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
