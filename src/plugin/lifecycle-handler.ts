import type { DeliveryConversation, DeliveryIdentity } from './claimed-delivery.js';
import type { Connection } from './connection.js';
import type { Tasks } from './task.js';

/** Whether an end is still the end: asked right before anything is done that a reopening must not find done. */
export interface SettlementFence {
  /** True while the conversation is terminal by this very end and the delivery is claimed by this very claim. */
  holds(): Promise<boolean>;
}

/** The end of a conversation, as its provider is told of it. */
export interface Settlement<Options extends object = object> {
  readonly identity: DeliveryIdentity;
  readonly conversation: DeliveryConversation;
  readonly connection: Connection<Options>;
  /** What the parser, or the preparer, put by for this moment. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Why it ended, and the provider's revision of that. */
  readonly reason: string;
  readonly revision: string | null;
  readonly fence: SettlementFence;
  /** Aborts when the claim is lost or the time is up. */
  readonly signal: AbortSignal;
  /** The task of the conversation, as in `TrustedContext`; its steps are refused once the claim is lost. */
  readonly tasks?: Tasks;
}

/**
 * Settles with the provider what hung on a conversation that ended. The agent is stopped by then and its session is gone.
 * At least once: a call that throws, takes too long or dies with its process is repeated until one succeeds or the end is no longer the end.
 */
export interface LifecycleHandler<Options extends object = object> {
  settle(settlement: Settlement<Options>): Promise<void>;
}
