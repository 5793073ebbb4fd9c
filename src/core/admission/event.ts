import type { Connection, Parsed } from '../../plugin/index.js';

/** UTF-16 units of a message. */
export const TEXT_LIMIT = 1024 * 1024;

/** An authentic event on its way into the ledger: whatever its origin, this is what the accept transaction is given. */
export interface IncomingEvent {
  readonly org: string;
  /** Name of the connection that it arrived at. */
  readonly source: string;
  /** Name of the plugin. */
  readonly provider: string;
  readonly connection: Connection;
  /** The provider's own id of this delivery, 1 to 255 code points, without NUL and lone surrogates. */
  readonly deliveryId: string;
  /** Kind and action in one word; 1 to 255 code points, without NUL and lone surrogates. */
  readonly eventKey: string;
  /** The parsed event as the plugin picked it from the body; expressions of routes look at this. */
  readonly payload: unknown;
  /** The exact bytes that were signed. */
  readonly body: Buffer;
  /** What the plugin's parser made of the payload. A parser that throws has become `recorded`, reason `parser_failed`. */
  readonly parsed: Parsed;
  /** What identifies the event beside its id, where signed bodies are unique per event; else null. */
  readonly uniqueContent: string | Buffer | null;
  /** Which of the connection's secrets verified it, 0 the newest; null for a source that was told to trust unsigned events. */
  readonly secretIndex: number | null;
  /** True: its bytes are not those that were signed, so that they tell of no conflict. */
  readonly isCopy?: boolean;
}

/** An event of any origin; only a connection's has a connection. */
export type AdmissibleEvent = Omit<IncomingEvent, 'connection'>;

/** The first that applies, in this order, is what became of an event. */
export const DISPOSITIONS = ['routed', 'lifecycle', 'held', 'suppressed', 'recorded', 'ignored', 'unmatched'] as const;

export type Disposition = (typeof DISPOSITIONS)[number];

export interface AnsweredDelivery {
  /** Null: it came past the routes, as a message of the API does. */
  readonly route: string | null;
  readonly conversation: string;
  readonly delivery: string;
  readonly sequence: number;
  readonly state: 'held' | 'pending' | 'claimed' | 'completed';
}

/** What was done with an event, in the words of the public API: it is the body of the answer as it stands. */
export interface AdmissionAnswer {
  readonly received: true;
  readonly duplicate: boolean;
  readonly receipt: string;
  readonly disposition: Disposition;
  /** A stable code that says why, where the disposition alone does not. */
  readonly reason: string | null;
  /** How many routes and triggers took the event. */
  readonly matched: number;
  readonly deliveries: readonly AnsweredDelivery[];
  readonly runs_created: readonly string[];
  readonly conversations_continued: readonly string[];
}
