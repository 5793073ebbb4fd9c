/** What happened at a chaos provider. */
export interface ChaosEvent {
  readonly id: string;
  readonly tenant: string;
  readonly action: 'said' | 'closed' | 'reopened';
  readonly thing: string;
  readonly state: 'open' | 'closed';
  /** Orders what is said about the state of things. */
  readonly revision: string;
  /** ISO-8601. */
  readonly at: string;
  readonly author: string;
  readonly text?: string;
  /** It is the callback of a write of ours. */
  readonly write?: { readonly id: string; readonly key: string };
}

/** What a tool wrote. */
export interface ChaosWrite {
  readonly id: string;
  readonly thing: string;
  readonly text: string;
  /** The key that the host gave the write. */
  readonly key: string;
}

/** A write of a tool; a look at a thing before a turn; the settlement of an end; a reading of the history, or of what became of a write. */
export type ChaosCall = 'write' | 'prepare' | 'settle' | 'history' | 'effects';

/** `refuse`: for good, and nothing was done. `break`: for now, and nothing was done. `lose`: it was done, and its answer is lost. */
export type ChaosManner = 'refuse' | 'break' | 'lose';

/** What the plugin knows of the provider. */
export interface ChaosWorld {
  readonly events: readonly ChaosEvent[];
  readonly writes: readonly ChaosWrite[];
  readonly settled: string[];
  isOpen(thing: string): boolean;
  write(thing: string, text: string, key: string): ChaosWrite;
  assertUp(call: Exclude<ChaosCall, 'write'>): void;
}
