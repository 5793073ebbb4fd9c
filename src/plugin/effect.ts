import type { Type } from '@nestjs/common';
import type { Connection } from './connection.js';
import type { Subject } from './subject.js';
import type { Tasks } from './task.js';

/** What a write is about. Its callbacks name the same, and who did it is no part of it: people share accounts. */
export interface EffectScope {
  /** Immutable id of the tenant at the provider, as its events name it too: Linear's organisation id, GitHub's host. Never a person. */
  readonly account: string;
  /** What is written, in the provider's word, for example `Comment`. */
  readonly kind: string;
  /** What is done to it, for example `create`. */
  readonly action: string;
  /** Null: only the answer tells it, as for an issue that is yet to be made. */
  readonly subject: Subject | null;
}

/**
 * Ids that only this very write can have left, by what they are ids of: `{ comment, issue }` and, where none of them is ours, the
 * `revision`; for a change of state `{ issue, state, revision }`. The answer to a write and its callback must give exactly the same.
 */
export type EvidenceIds = Readonly<Record<string, string>>;

/** What the provider's answer proves. */
export interface Evidence {
  readonly ids: EvidenceIds;
  /** Where the scope had none. */
  readonly subject?: Subject;
}

/** What an event proves, if it is the callback of a write of ours. Its subject is the event's. */
export interface CallbackEvidence extends Omit<EffectScope, 'subject'> {
  readonly ids: EvidenceIds;
  /**
   * The id of ours that a marked write carries (`OutboundTool.isMarked`), as this event shows it; null: it would be seen here, and is not.
   * Left out: events of this kind do not show it.
   */
  readonly marker?: string | null;
}

/** On whose behalf a tool writes, and where: an agent names neither. */
export interface OutboundBinding<Options extends object = object> {
  readonly connection: Connection<Options>;
  /** Id of the conversation. */
  readonly conversation: string;
  /** What the conversation is about. */
  readonly subject: Subject;
  /** The task of the conversation, while a tool is executed. */
  readonly tasks?: Tasks;
}

/**
 * A write at the provider, the only form in which a plugin offers one: the host records what it is about to do, calls `execute`,
 * and keeps what came of it, so that the write's own callbacks wake nobody.
 */
export interface OutboundTool<Options extends object = object, Input extends object = object> {
  /** `[a-z0-9_]{1,64}`, unique within the plugin. */
  readonly name: string;
  /** What it does and when it is of use, for the agent. Default: made of its name and what it writes. */
  readonly description?: string;
  /** A class-validator class of what the tool is given. Never where it is written: that is the binding's. */
  readonly input: Type<Input>;
  /** True: the write carries `key` as an id of its own, and events about it show it as `CallbackEvidence.marker`. */
  readonly isMarked?: boolean;
  /** Pure. */
  scope(input: Input, binding: OutboundBinding<Options>): EffectScope;
  /**
   * Writes once, without retries of its own. `key` is a UUID (version 4) that is always the same for this write: give it to the provider
   * wherever it takes a client id. Resolves to complete evidence of what was written. Throws `ProviderFault` only when surely nothing was
   * written (refused, invalid, rate limited, never connected); whatever else it throws means that nobody knows.
   */
  execute(input: Input, binding: OutboundBinding<Options>, key: string): Promise<Evidence>;
}

/** A read at the provider that an agent may ask for. It changes nothing: nothing is recorded of it, and no person is asked. */
export interface ReadTool<Options extends object = object, Input extends object = object> {
  /** `[a-z0-9_]{1,64}`, unique within the plugin, also among its writes. */
  readonly name: string;
  /** What it reads and when it is of use, for the agent. */
  readonly description: string;
  /** A class-validator class of what the tool is given. Never where it is read: that is the binding's. */
  readonly input: Type<Input>;
  /** Resolves to JSON for the agent. Throws `ProviderFault` or `ConfigFault` with what the agent may be told. */
  read(input: Input, binding: OutboundBinding<Options>, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

/** A write whose outcome is not known. */
export interface UnknownEffect<Options extends object = object> {
  readonly connection: Connection<Options>;
  readonly tool: string;
  readonly scope: EffectScope;
  /** The `key` that a marked write carried, else null. */
  readonly marker: string | null;
  /** When it was sent, by the database's clock; ISO-8601. */
  readonly attemptedAt: string;
  /** True: this is what was to be written; its text is not kept, only a keyed hash of the tool's input. */
  isInput(input: object): boolean;
}

/** Finds out at the provider what became of a write. */
export interface EffectReader<Options extends object = object> {
  /**
   * Reads only. `absent` is proof, not a first impression: answer `unknown` while the write may still come through.
   * What it throws counts as `unknown`.
   */
  find(effect: UnknownEffect<Options>, signal: AbortSignal): Promise<Evidence | 'absent' | 'unknown'>;
}
