import type { Connection } from './connection.js';
import type { Parsed } from './parsed.js';
import type { Subject } from './subject.js';
import type { TaskDesk } from './task-desk.js';
import type { Verdict } from './verdict.js';

/** What makes a delivery one and the same, over every retry and repetition: providers key their own idempotency by all four. */
export interface DeliveryIdentity {
  readonly org: string;
  /** Name of the plugin. */
  readonly provider: string;
  /** Name of the connection. */
  readonly source: string;
  readonly deliveryId: string;
}

/** The conversation that a delivery is in. */
export interface DeliveryConversation extends Subject {
  readonly id: string;
  readonly title: string | null;
}

/** A delivery at the head of its conversation. `parsed` is what the parser made of the event when it arrived, as it was stored then. */
export interface ClaimedDelivery {
  readonly identity: DeliveryIdentity;
  readonly conversation: DeliveryConversation;
  readonly sequence: number;
  readonly eventKey: string;
  readonly parsed: Parsed;
  /** When the receipt was stored; ISO-8601. */
  readonly receivedAt: string;
}

/**
 * Asks the provider how things are before an agent is woken. Only reads: it runs before every try of a turn. It may ignore the delivery,
 * add a state, or turn a message into lifecycle; subject, author, text and identity stay what they are.
 *
 * Throws `ProviderFault`: `transient` is tried again for as long as it takes, anything else up to `workers.maxAttempts` times.
 */
export interface Preparer<Options extends object = object> {
  /** Can this connection of the configuration be asked? Default: every one can. */
  usedBy?(connection: Connection<Options>): boolean;
  prepare(delivery: ClaimedDelivery, connection: Connection<Options>, signal: AbortSignal): Promise<Verdict>;
}

/**
 * Does what the provider's own rules ask for once an event is at the head, before anything else is done with it. Its verdict is stored,
 * and it is not asked again about that delivery; a crash before that repeats it, so its effects must be idempotent by the identity.
 */
export interface TrustedProcessor<Options extends object = object> {
  /** Has it anything to do for this connection of the configuration? Default: for every one. */
  usedBy?(connection: Connection<Options>): boolean;
  process(event: ClaimedDelivery, context: TrustedContext<Options>): Promise<Verdict>;
}

export interface TrustedContext<Options extends object = object> {
  readonly connection: Connection<Options>;
  /** Aborts when the claim is lost or the time is up. */
  readonly signal: AbortSignal;
  /** The task of the conversation, for plugins whose boards steer one; a host that keeps none has left it out. */
  readonly tasks?: TaskDesk<Options>;
}
