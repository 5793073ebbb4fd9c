import type { Call, FaultServer } from '../../fakes/fault-server.js';

export type Json = Record<string, unknown>;

/** What the server answers to an event. */
export interface Accepted {
  readonly duplicate?: boolean;
  readonly disposition?: string;
  readonly reason?: string | null;
  readonly deliveries?: readonly { readonly conversation: string }[];
}

/** A request of a provider, signed by it. */
export interface Letter {
  readonly connection: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A decision, as somebody makes it at the provider. */
export interface Said {
  readonly decision: 'approve' | 'deny';
  /** By somebody who is called like the person whose decisions count, as far as the provider lets them, and is not. */
  readonly isStranger?: boolean;
  /** About another request than the newest. */
  readonly approval?: string;
  /** In another thread than that of the conversation; where decisions name theirs. */
  readonly isElsewhere?: boolean;
}

/** Where providers post their events to. */
export interface Door {
  post(connection: string, headers: Readonly<Record<string, string>>, body: string): Promise<Accepted>;
}

/**
 * Moments of the story, in its order, in whose middle the server is killed.
 *
 *   thread    the channel has made the thread, and its answer is on the way
 *   output    the channel has posted what the agent says, likewise
 *   answer    a person has answered in the thread, and the agent is at work on it
 *   question  the channel has posted what a person is asked, likewise
 *   write     the provider has written what a person allowed, likewise
 *   outcome   the agent was told that it is written, and is at work on that
 *   end       the issue is closed, and the channel closes its thread
 */
export type Moment = 'thread' | 'output' | 'answer' | 'question' | 'write' | 'outcome' | 'end';

/** A message as people see it. */
export interface Shown {
  readonly by: string;
  readonly text: string;
  readonly buttons?: readonly string[];
  readonly isEdited?: boolean;
}

/** A provider that the story happens at: its issue, its thread, and the people there. */
export interface Stage {
  readonly name: string;
  readonly connections: Readonly<Record<string, object>>;
  /** The connection whose events the route takes. */
  readonly source: string;
  readonly control: { readonly connection: string; readonly parent: string };
  /** Whose decisions count, as the configuration names them; null: it names nobody. */
  readonly approver: string | null;
  /** Flags of the agent. */
  readonly flags: readonly string[];
  /** The channel edits what it has posted. */
  readonly edits: boolean;
  /** What people are asked, in order. */
  readonly questions: readonly RegExp[];
  /** What is shown in the end. */
  readonly expected: readonly (string | RegExp)[];
  /** What the person who pressed a button was told alone; null: the channel cannot. */
  whispers(): readonly string[] | null;
  /** How the questions have ended, where that is said once more because nothing can be edited; null: it is not. */
  outcomes(): readonly string[] | null;
  open(door: Door): Promise<Accepted>;
  /** A person writes in the thread. */
  say(door: Door, text: string): Promise<void>;
  /** Somebody decides about the newest question; the provider is about to tell of it. */
  decide(said: Said): Letter;
  /** A stranger commands the host; null: whoever sees the thread may. */
  strangersCommand: ((text: string) => Letter) | null;
  /** Somebody deletes the thread; null: it cannot be deleted. */
  deleteThread: (() => void) | null;
  /** The provider tells of everything that we have written and it has not told of. What the server made of tools' writes. */
  echo(door: Door): Promise<Accepted[]>;
  close(door: Door): Promise<Accepted>;
  /** The messages of the thread, those of people included. */
  thread(): readonly Shown[];
  /** How many threads were made. */
  threads(): number;
  isArchived(): boolean;
  /** What tools have written in the issue. */
  written(): readonly string[];
  /** The call of this moment is carried out and never answered; resolves when it was. Null: there is none here. */
  hold(moment: Moment): Promise<void> | null;
  stop(): Promise<void>;
}

/** Where a channel without buttons asks. */
export const DECISION = /`\/approve ([\w-]+)`/;

export const ISSUE_TITLE = 'Repair the scheduler';

/** What the agent says, turn by turn. */
export const WORDS = {
  first: 'Jobs that are due while the scheduler restarts are dropped. The fix is on a branch. Shall I run its tests, and report here?',
  second: 'I run the tests of the branch.\n\nAll 212 pass. I have asked to report that in the issue.',
  silentSecond: 'All 212 pass. I have asked to report that in the issue.',
  third: 'It stands in the issue. This was turn 3 of one session.',
  report: 'Jobs survive a restart of the scheduler now: 212 tests pass.',
} as const;

export const GO_AHEAD = 'Yes, go ahead.';
export const AFTERWARDS = 'Thank you!';

export function post(door: Door, { connection, headers, body }: Letter): Promise<Accepted> {
  return door.post(connection, headers, body);
}

/** What a comment or an activity that asks a person says to write; the newest. */
export function askedFor(thread: readonly Shown[]): string {
  const [, approval] = thread.reduce<readonly string[]>((found, { text }) => DECISION.exec(text) ?? found, []);
  if (approval === undefined) throw new Error(`nobody is asked: ${JSON.stringify(thread)}`);
  return approval;
}

/** The next call that fits is carried out and never answered. */
export function held(server: FaultServer, fits: (call: Call) => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const noting = (call: Call) => {
    const does = fits(call);
    if (does) resolve();
    return does;
  };
  server.once(noting, 'hang');
  return promise;
}
