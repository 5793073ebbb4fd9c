import type { Disposition } from '../core/admission/event.js';

export type Source = 'github' | 'linear' | 'slack';

/** The conversations of the script, by the names that its expectations use. */
export type Thread = 'issue' | 'pull request' | 'push' | 'slack thread' | 'linear issue' | 'busy issue';

/** One request of a provider. */
export interface Step {
  /** Its delivery id is made of it. */
  readonly id: string;
  readonly source: Source;
  /** A recorded body, below `test/fixtures`. */
  readonly fixture: string;
  /** What is changed in the recorded body, by path: no more than makes it the event that is meant. */
  readonly changes?: Readonly<Record<string, unknown>>;
  /** GitHub's event header. */
  readonly event?: string;
  /** What happens, for people. */
  readonly about: string;
  /** The step whose delivery id this one carries. Default: its own. */
  readonly deliveredAs?: string;
  /** What is wrong with its signature. */
  readonly forgery?: 'another secret' | 'no signature' | 'an old timestamp';
  /** True: what was accepted before is completed first, so that its outcome does not depend on the speed of the machine. */
  readonly afterRest?: boolean;
  readonly expect: Expectation;
}

export type Expectation = Decided | Refused | Handshake;

export interface Decided {
  readonly disposition: Disposition;
  readonly reason: string | null;
  readonly duplicate?: boolean;
  readonly delivery?: { readonly thread: Thread; readonly sequence: number | 'any' };
}

export interface Refused {
  readonly refused: string;
}

export interface Handshake {
  readonly handshake: string;
}

export interface Scene {
  readonly title: string;
  /** What to look at. */
  readonly about: string;
  /** True: its steps are sent together. */
  readonly atOnce?: true;
  readonly steps: readonly Step[];
}

/** How a conversation stands when everything is completed. */
export interface Ending {
  readonly thread: Thread;
  readonly state: 'open' | 'terminal';
  /** Deliveries for the agent. */
  readonly prompts: number;
  /** Deliveries about the life of the subject. */
  readonly lifecycles: number;
}

export function routed(thread: Thread, sequence: number | 'any'): Decided {
  return { disposition: 'routed', reason: null, delivery: { thread, sequence } };
}

export function repeated(thread: Thread, sequence: number): Decided {
  return { ...routed(thread, sequence), duplicate: true };
}

export function ended(thread: Thread, sequence: number, reason: string): Decided {
  return { disposition: 'lifecycle', reason, delivery: { thread, sequence } };
}

export function ignored(reason: string): Decided {
  return { disposition: 'ignored', reason };
}

export function recorded(reason: string): Decided {
  return { disposition: 'recorded', reason };
}
