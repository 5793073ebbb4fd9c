import type { Connection } from './connection.js';
import type { ProviderEvent } from './provider-event.js';
import type { AcceptResult, WebhookTransport } from './transport.js';

/** Where a stream and a backfill put their events. */
export interface EventSink {
  /**
   * Resolves when the event is stored for good: only then it may be acknowledged to the provider. Rejects when it was not stored: the
   * store is down (`store_unavailable`), the event is malformed (`invalid_payload`), or this process no longer owns the source. An event
   * that was there before resolves with `duplicate: true`.
   */
  accept(event: ProviderEvent): Promise<AcceptResult>;
}

/** What a stream tells the host beside its events. */
export interface StreamSink extends EventSink {
  /** The connection stands and is authenticated: the pauses before further tries begin anew. */
  connected(): void;
  /** Something was heard that is no event, such as a ping. Counts against `silenceMs`. */
  heard(): void;
}

/** A connection that the provider sends its events over. One replica has it at a time. */
export interface StreamTransport<Options extends object = object> {
  readonly kind: 'stream';
  /**
   * Longest time, in milliseconds, for which a healthy connection says nothing at all; after it the connection is taken for half-open and
   * made anew. Default: silence is never a fault.
   */
  readonly silenceMs?: number;
  /** True: the provider bears a connection from every replica, and tells each event to one of them or to all. Default false. */
  readonly several?: boolean;
  /** Does this connection of the configuration use the stream? Default: every one does. */
  usedBy?(connection: Connection<Options>): boolean;
  /**
   * Connects, and hands over what comes until the connection ends; then it resolves, or rejects with why. Is then called again after a
   * pause (5 s, growing to 5 min; a `ProviderFault` with `retryAfterMs` asks for more). A `ConfigFault` stops this source alone until a
   * person restarts it. When `signal` aborts the socket must be closed before this settles.
   */
  open(connection: Connection<Options>, sink: StreamSink, signal: AbortSignal): Promise<void>;
}

/** What was read, and from where to go on. */
export interface Page {
  readonly events: readonly ProviderEvent[];
  /** Opaque to the host; at most 64 KiB. Stored in one transaction with the events. */
  readonly cursor: string;
  /** True: there is more to read, so the next page is asked for at once. */
  readonly more?: boolean;
  /** What an operator should know although reading goes on: which part of it waits, and for what. Shown until a page says otherwise. */
  readonly notice?: string;
}

/** Events that are asked for. One replica asks at a time. */
export interface PollTransport<Options extends object = object> {
  readonly kind: 'poll';
  /** Pause between two questions in milliseconds, where the connection sets no `interval`. Default 5,000. */
  readonly intervalMs?: number;
  /** How long one question may take. Default 60,000. */
  readonly timeoutMs?: number;
  /** Is this connection of the configuration polled? Default: every one is. */
  usedBy?(connection: Connection<Options>): boolean;
  /**
   * The events after the cursor, oldest first, at most 1,000; null: it was never read, so the answer says where to begin, with or without
   * events. A page is stored whole with its cursor, or not at all; after a crash the same page is asked for again. Failures as in `open`.
   */
  poll(connection: Connection<Options>, cursor: string | null, signal: AbortSignal): Promise<Page>;
}

/** How far a history was asked: kept over failures, restarts and changes of the replica, until all of it was. */
export interface BackfillProgress {
  /** What was saved last, null: nothing. More may have been missed since, also of what was asked already: it is asked again from there. */
  readonly saved: string | null;
  /** Opaque to the host, at most 64 KiB. Resolves when it is stored; to be called when the events before it are. */
  save(progress: string): Promise<void>;
}

/** Asks a provider with a history for what was missed while nobody was there to be told. */
export interface Backfill<Options extends object = object> {
  /** Has this connection of the configuration what it needs to ask (a token)? Default: every one has. */
  usedBy?(connection: Connection<Options>): boolean;
  /**
   * Hands over, oldest first, what happened since `mark`: the time, by the database's clock, at which the last event of this connection
   * was stored. Events with the ids that they would have come with are never taken twice. Rejects when it could not be done; it is then
   * tried again. At most 10,000 events are taken, none older than 7 days. A history that takes long to ask says how far it is.
   */
  since(connection: Connection<Options>, mark: Date, sink: EventSink, signal: AbortSignal, progress: BackfillProgress): Promise<void>;
}

export type Transport<Options extends object = object> = WebhookTransport<Options> | StreamTransport<Options> | PollTransport<Options>;
