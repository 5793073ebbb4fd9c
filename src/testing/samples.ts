import type { ControlThread, EvidenceIds, Parsed, Subject } from '../plugin/index.js';

/** What the conformance checks know of a provider that its plugin does not say itself. */
export interface ProviderSamples<Scenery extends Stage = Stage> {
  /** The plugin's own options, as they stand in a configuration. Default: none. */
  readonly options?: object;
  /** Signing secrets of the connection, newest first. */
  readonly secrets?: readonly string[];
  /** Requests as the provider sends them, best recorded ones: for plugins with webhooks, at least two of different deliveries. */
  readonly requests?: readonly SampleRequest[];
  /** True: requests say when they were signed, so that a captured one is refused a day later. Default false. */
  readonly isTimed?: boolean;
  /** Events as the parser is given them. */
  readonly events: readonly SampleEvent[];
  /** The provider, or a server that plays it, for the checks that write or connect. Called anew for each of them. */
  readonly stage?: () => Promise<Scenery>;
  /** How long a stream, a poller or a history may take for what is asked of it, in milliseconds. Default 10,000. */
  readonly patienceMs?: number;
  /** For plugins with a stream. */
  readonly stream?: SampleStream<Scenery>;
  /** For plugins with a poller. */
  readonly poll?: SampleSource<Scenery>;
  /** For plugins that ask for what was missed. */
  readonly backfill?: SampleSource<Scenery>;
  /** For plugins with a control channel. */
  readonly control?: ControlSample<Scenery>;
  /** For plugins with tools: at least one write of each. */
  readonly writes?: readonly SampleWrite<Scenery>[];
  /** For plugins with tools that read: at least one read of each. */
  readonly reads?: readonly SampleRead[];
}

export interface SampleRequest {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** The public URL that the provider was given, where it is signed. */
  readonly url?: string;
  /** When it was sent; milliseconds since 1970. Default: now. */
  readonly sentAt?: number;
  /** What the plugin should read from it. Default: anything. */
  readonly deliveryId?: string;
  readonly eventKey?: string;
  /** Name of the request of which this one is another try. */
  readonly again?: string;
}

export interface SampleEvent {
  readonly name: string;
  readonly eventKey: string;
  readonly payload: unknown;
  readonly kind: Parsed['kind'];
  /**
   * A word of your own for what it is about; null: nothing. Events with one word must share a subject, those of different ones must not. Have
   * two events about one thing, one of them after the thing was renamed, and one about another.
   */
  readonly about: string | null;
  /** What it says about the life of its subject. Default: not looked at. */
  readonly state?: 'open' | 'terminal';
}

/** Somewhere to write. */
export interface Stage {
  /** The connection's options, in place of the samples'. */
  readonly options: object;
  /** What time it is there, in milliseconds since 1970. Default: this machine's time. */
  now?(): number;
  /** The next write is carried out, and its answer is lost. */
  loseAnswer?(): void;
  /** The next write is refused. */
  refuse?(): void;
  close(): Promise<void>;
}

/** How something happens at the provider that a source tells of. */
export interface SampleSource<Scenery extends Stage = Stage> {
  /** Something happens now, for each number something else; it makes one event or several. */
  happen(stage: Scenery, number: number): void | Promise<void>;
}

export interface SampleStream<Scenery extends Stage = Stage> extends SampleSource<Scenery> {
  /** True: the provider tells an event again that was not acknowledged. Default false. */
  readonly isAcknowledged?: boolean;
}

export interface ControlSample<Scenery extends Stage = Stage> {
  /** As `control.parent` of a workspace names it. */
  readonly parent: string;
  /** What a conversation that is shown there is about. */
  readonly subject: Subject;
  /** True: each conversation has a thread of its own, so that two of them must not share one. Default false: the subject is the thread. */
  readonly threadPerConversation?: boolean;
  /** The event that the provider sends about a message of the channel's; null: it sends none. */
  callback(posted: Posted, stage: Scenery): EventOf | null;
}

/** A message of the channel's. */
export interface Posted {
  readonly thread: ControlThread;
  readonly message: string;
  /** The `key` and the `text` that it was posted with. */
  readonly key: string;
  readonly text: string;
}

/** What was written, as far as the checks know. */
export interface Written {
  /** The `key` that the write was given. */
  readonly key: string;
  readonly ids: EvidenceIds;
}

export interface SampleWrite<Scenery extends Stage = Stage> {
  /** Name of the tool. */
  readonly tool: string;
  readonly input: object;
  /** What the conversation is about, on whose behalf it is written. */
  readonly subject: Subject;
  /** The event that the provider sends about the write, `stage` being the one that it was written at; null: it sends none. */
  callback(written: Written, stage: Scenery): EventOf | null;
}

export interface SampleRead {
  /** Name of the tool. */
  readonly tool: string;
  readonly input: object;
  /** What the conversation is about, on whose behalf it is read. */
  readonly subject: Subject;
}

/** What a parser is given of an event. */
export type EventOf = Pick<SampleEvent, 'eventKey' | 'payload'>;
