import type { Tx } from '../../database/tx.js';
import type { Trust } from '../deliveries/delivery.js';

export interface Message {
  readonly org: string;
  readonly conversation: string;
  readonly text: string;
  readonly wake: boolean;
  readonly by: string;
  /** The caller's idempotency key; null: every call is a message of its own. */
  readonly key: string | null;
}

/** What the host itself has to say to an agent. */
export interface Notice extends Omit<Message, 'key'> {
  /** However often it is told under one id, it is told once. */
  readonly id: string;
  readonly eventKey: string;
  /** Which part of the host says it. Default: `approvals`. */
  readonly source?: 'approvals' | 'tasks';
  /** `untrusted` where it quotes what anybody may have written. Default: `trusted`. */
  readonly trust?: Trust;
}

export interface Replay {
  readonly org: string;
  readonly receipt: number;
  readonly by: string;
  /** Names of the routes to decide by; null: all. */
  readonly routes: readonly string[] | null;
  /** True: conversations that have had it get it once more, under a receipt of its own. */
  readonly force: boolean;
  /** True: nothing was decided about it but that it waits, and nobody asked for it. */
  readonly isFirst?: boolean;
}

/** What must commit together with events. Either may throw; then nothing is stored. */
export interface Bracket {
  before(tx: Tx): Promise<void>;
  after(tx: Tx): Promise<void>;
}

/** What is known of connections that people write at. */
export interface Talk {
  /** Only trusted people can write there. */
  isPrivate(org: string, source: string): boolean;
  /** Its channel can show that a message was taken. */
  acknowledges(org: string, source: string): boolean;
}
