import type { Line } from './event-log.js';
import { type ConversationEvent, textOf } from './events.js';
import type { ExecutionStatus } from './execution.js';

/** What is asked of a conversation when it is made, and never changes. */
export interface Origin {
  readonly id: string;
  readonly created_at: string;
  /** The agent as it was given, with its `kind`. */
  readonly agent: Readonly<Record<string, unknown>>;
  /** Absolute. */
  readonly working_dir: string;
  readonly title: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

/** What changes; the last line that says it counts. */
export interface Marks {
  readonly status: ExecutionStatus;
  /** How many of the user's messages are done. */
  readonly done: number;
  /** Turns that were begun. */
  readonly turns: number;
  /** What the agent calls its session. */
  readonly session: string | null;
  readonly costUsd: number;
  /** The process group that works on it. */
  readonly process: { readonly pid: number; readonly startedAt: string } | null;
  readonly title: string | null;
}

const NEW: Marks = { status: 'idle', done: 0, turns: 0, session: null, costUsd: 0, process: null, title: null };

/** A conversation as its log tells it. */
export class Standing {
  readonly events: ConversationEvent[] = [];
  readonly messages: ConversationEvent[] = [];
  marks: Marks = NEW;
  private readonly ids = new Set<string>();

  constructor(lines: readonly Line[]) {
    for (const { event, marks } of lines) {
      if (event !== undefined) this.add(event as ConversationEvent);
      if (marks !== undefined) this.mark(marks as Partial<Marks>);
    }
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  add(event: ConversationEvent): void {
    this.events.push(event);
    this.ids.add(event.id);
    if (event.source === 'user' && textOf(event) !== null) this.messages.push(event);
  }

  /** It could not be stored. */
  take(event: ConversationEvent): void {
    this.events.splice(this.events.indexOf(event), 1);
    this.ids.delete(event.id);
    if (this.messages.includes(event)) this.messages.splice(this.messages.indexOf(event), 1);
  }

  mark(marks: Partial<Marks>): void {
    this.marks = { ...this.marks, ...marks };
  }

  /** The user's messages that nobody has worked on to the end. */
  get undone(): readonly ConversationEvent[] {
    return this.messages.slice(this.marks.done);
  }
}
