import { randomUUID } from 'node:crypto';
import { ChannelFault, type ChannelState, type ControlPost } from '../../../src/plugin/index.js';

/** What a test makes of the next calls of a method. */
export type Trouble =
  | { readonly state: ChannelState; readonly retryAfterMs?: number }
  /** It is done, and the answer is lost. */
  | { readonly lost: true }
  /** Nothing is done, and nobody says so. */
  | { readonly broken: string };

export interface ChatMessage {
  readonly id: string;
  readonly key: string;
  text: string;
  buttons: readonly string[];
  edits: number;
}

export interface ChatThread {
  readonly id: string;
  readonly parent: string;
  readonly title: string;
  /** Id of the conversation that it was made for; null: a stranger's. */
  readonly marker: string | null;
  readonly messages: ChatMessage[];
  isArchived: boolean;
  isLocked: boolean;
}

/** A chat as its provider has it: threads under parents. It remembers what it was asked, and misbehaves on command. */
export class Chat {
  readonly threads = new Map<string, ChatThread>();
  /** Every call, as `post T1`, in the order in which they came. */
  readonly calls: string[] = [];
  readonly acknowledged: string[] = [];
  readonly answers: string[] = [];
  /** Methods that do not answer before they are let go. */
  readonly stuck = new Map<string, Promise<void>>();
  /** Threads that are not archived, at the most. */
  mostOpen = 1_000;
  mostAtOnce = 0;
  private readonly trouble = new Map<string, Trouble[]>();
  private readonly inThread = new Map<string, number>();
  private made = 0;

  /** The next calls of the method go wrong, one after the other. */
  spoil(method: string, ...troubles: readonly Trouble[]): void {
    this.trouble.set(method, [...(this.trouble.get(method) ?? []), ...troubles]);
  }

  makeThread(parent: string, title: string, marker: string | null): ChatThread {
    const id = `T${++this.made}`;
    const thread = { id, parent, title, marker, messages: [], isArchived: false, isLocked: false };
    this.threads.set(id, thread);
    return thread;
  }

  /** What was posted is known by its key wherever it was, also when it is gone. */
  private readonly keys = new Map<string, ChatMessage>();

  get openThreads(): number {
    return [...this.threads.values()].filter(({ isArchived }) => !isArchived).length;
  }

  /** The threads of a conversation, in the order in which they were made. */
  threadsOf(conversation: string): ChatThread[] {
    return [...this.threads.values()].filter(({ marker }) => marker === conversation);
  }

  /** What people read in it. */
  textsIn(thread: string): string[] {
    return this.threads.get(thread)?.messages.map(({ text }) => text) ?? [];
  }

  post(thread: string, { text, key, buttons = [] }: ControlPost): ChatMessage {
    const { messages } = this.openThread(thread);
    const known = this.keys.get(key);
    if (known) return known;
    const message = { id: `M${randomUUID()}`, key, text, buttons: buttons.map(({ label }) => label), edits: 0 };
    messages.push(message);
    this.keys.set(key, message);
    return message;
  }

  edit(thread: string, id: string, { text, buttons = [] }: ControlPost): void {
    const message = this.openThread(thread).messages.find((each) => each.id === id);
    if (!message) throw new ChannelFault('message_gone', 'the message was deleted');
    Object.assign(message, { text, buttons: buttons.map(({ label }) => label), edits: message.edits + 1 });
  }

  deleteMessages(thread: string): void {
    this.threads.get(thread)?.messages.splice(0);
  }

  /** One call at a time for a thread is what the host promises. */
  async call<T>(method: string, thread: string, signal: AbortSignal, work: () => T): Promise<T> {
    this.calls.push(`${method} ${thread}`);
    const atOnce = (this.inThread.get(thread) ?? 0) + 1;
    this.inThread.set(thread, atOnce);
    this.mostAtOnce = Math.max(this.mostAtOnce, atOnce);
    try {
      await this.stuck.get(method);
      signal.throwIfAborted();
      return this.answered(method, work);
    } finally {
      this.inThread.set(thread, atOnce - 1);
    }
  }

  private answered<T>(method: string, work: () => T): T {
    const trouble = this.trouble.get(method)?.shift();
    if (trouble === undefined) return work();
    if ('broken' in trouble) throw new Error(trouble.broken);
    if ('state' in trouble) throw new ChannelFault(trouble.state, `the chat says ${trouble.state}`, trouble.retryAfterMs ?? null);
    work();
    throw new Error('the connection was lost before the answer came');
  }

  private openThread(id: string): ChatThread {
    const thread = this.threads.get(id);
    if (!thread) throw new ChannelFault('thread_gone', 'the thread was deleted');
    if (thread.isLocked) throw new ChannelFault('thread_locked', 'the thread is locked');
    thread.isArchived = false;
    return thread;
  }
}
