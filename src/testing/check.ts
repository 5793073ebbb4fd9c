/** The parts of a plugin that are checked; those of a part that a plugin does not have are left out. */
export type Section = 'plugin' | 'webhook' | 'parser' | 'stream' | 'poll' | 'backfill' | 'control' | 'writes' | 'reads';

/** Something that every provider must do. `run` rejects, with an `AssertionError`, where this one does not. */
export interface Check {
  readonly section: Section;
  /** A sentence about the part, for example `refuses a body that was changed`. */
  readonly name: string;
  run(): Promise<void>;
}

/** The functions that jest, vitest and node:test have in common. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}
