import type { Connection } from './connection.js';
import type { Subject } from './subject.js';

/** A thread at a channel: where people watch a conversation and answer it. It never decides which conversation that is. */
export interface ControlThread {
  /** What it hangs under, as `control.parent` of the workspace names it: a channel's id, `owner/name` of a repository. */
  readonly parent: string;
  /** The provider's immutable id of the thread, unique at the connection. */
  readonly id: string;
  /** Its title as it stands at the provider. */
  readonly title: string;
  /** Where a person looks at it. */
  readonly url?: string;
}

/** Lengths are in UTF-16 units. */
export interface ControlLimits {
  /** Longest title. Threads without titles: 100. */
  readonly title: number;
  /** Longest text of one message; longer output is cut into several by the host. */
  readonly text: number;
  /** Shortest time between two edits of a message, in milliseconds; null: messages are not edited, so that
   * output comes when it is complete, and what changes after that is posted once more. */
  readonly editMs: number | null;
}

/** The thread that a conversation is to be shown in. */
export interface WantedThread {
  /** Id of the conversation. The channel leaves it, or what is derived of it, as its marker where people do not stumble over it. */
  readonly conversation: string;
  readonly subject: Subject;
  readonly parent: string;
  /** Within `limits.title`. */
  readonly title: string;
  /** The thread that it was shown in so far, if any. */
  readonly known: { readonly parent: string; readonly id: string } | null;
}

/** A message to people. */
export interface ControlPost {
  /** Markdown, within `limits.text`. Mentions in it must notify nobody. */
  readonly text: string;
  /** UUID, the same for every try of this message: give it to the provider where it takes a client id, else leave it as a marker. */
  readonly key: string;
  /** What a person can press, at most five. A channel without buttons says in words what to write instead (`/approve <id>`). */
  readonly buttons?: readonly ControlButton[];
}

export interface ControlButton {
  readonly label: string;
  readonly style: 'primary' | 'danger' | 'plain';
  /** What pressing it means; comes back as the `action` of an event. */
  readonly action: ControlAction;
}

/** What a person wants of the host rather than of the agent. */
export type ControlAction =
  | { readonly type: 'command'; readonly name: ControlCommand; readonly argument?: string }
  /** `approval`: an opaque id of at most 64 characters of `[A-Za-z0-9_-]`. */
  | { readonly type: 'decision'; readonly approval: string; readonly decision: 'approve' | 'deny'; readonly reason?: string };

export const CONTROL_COMMANDS = ['reset', 'stop', 'pause', 'resume', 'reopen', 'status'] as const;
export type ControlCommand = (typeof CONTROL_COMMANDS)[number];

/**
 * Where an action came from that waits for an answer: what `acknowledge` and `answer` need, JSON, at most 2,000 characters, for example
 * the token of an interaction.
 */
export type ReplyHandle = Readonly<Record<string, string>>;

/** What is acknowledged: a person's message, or an event of the channel's own provider. */
export interface Acknowledged {
  /** The thread in which it was said; null: outside of the control thread, where the event itself came from. */
  readonly thread: string | null;
  /** `messageKey` of the event. */
  readonly message: string;
  readonly subject: Subject;
}

/**
 * Why a channel cannot be written to, as a state that is shown to operators with a next step. Thrown only when surely nothing was written.
 *
 *   thread_gone       deleted, or moved under another parent: a new one is made
 *   thread_locked     nobody of ours may write there or open it again
 *   message_gone      the message to edit was deleted: it is posted anew
 *   parent_gone       what `control.parent` names does not exist
 *   forbidden         permissions are missing
 *   too_many_threads  the provider's limit of open threads is reached
 *   refused           the provider finds the message wrong; it is not tried again
 *   rate_limited      not before `retryAfterMs`
 *   unavailable       the provider cannot be reached, and surely did nothing
 */
export type ChannelState =
  | 'thread_gone'
  | 'thread_locked'
  | 'message_gone'
  | 'parent_gone'
  | 'forbidden'
  | 'too_many_threads'
  | 'refused'
  | 'rate_limited'
  | 'unavailable';

export class ChannelFault extends Error {
  override readonly name = 'ChannelFault';

  constructor(
    readonly state: ChannelState,
    /** What is wrong and what to do, in one sentence for an operator. */
    message: string,
    readonly retryAfterMs: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Threads in which people watch and steer conversations. The host decides what is shown and when, keeps it in an outbox, and calls one
 * method at a time for one thread. Every method is safe to repeat. What is thrown is a `ChannelFault`, or means that nobody knows: the
 * host then asks `findMarker` before it writes again. When `signal` aborts, the call is over time or the host stops.
 */
export interface ControlChannel<Options extends object = object> {
  readonly limits: ControlLimits;
  /**
   * Where anybody in the world may write in a thread, as in an issue of a public repository: the roles of authors who may decide and
   * command there, where the configuration names nobody. Left out: whoever sees a thread may.
   */
  readonly insiders?: readonly string[];
  /** Does this connection of the configuration have what a channel needs (a bot's token)? What is missing, for an operator; null: nothing. */
  missing?(connection: Connection<Options>): string | null;
  /**
   * Verifies the known thread under its parent and opens it, else finds the one with our own marker, else makes one. Never takes one by its
   * title. Resolves to the thread as it is; its title may differ from the wanted one.
   */
  ensureThread(wanted: WantedThread, connection: Connection<Options>, signal: AbortSignal): Promise<ControlThread>;
  /** Closes it to further messages as far as the provider can. Done already, or gone: resolves. */
  archive(thread: ControlThread, connection: Connection<Options>, signal: AbortSignal): Promise<void>;
  unarchive(thread: ControlThread, connection: Connection<Options>, signal: AbortSignal): Promise<void>;
  /** Gives it another title. Left out: titles stay. */
  rename?(thread: ControlThread, title: string, connection: Connection<Options>, signal: AbortSignal): Promise<void>;
  /** Resolves to the provider's id of the message. */
  post(
    thread: ControlThread,
    post: ControlPost,
    connection: Connection<Options>,
    signal: AbortSignal,
  ): Promise<{ readonly message: string }>;
  /** Replaces text and buttons of a message of ours. */
  edit(thread: ControlThread, message: string, post: ControlPost, connection: Connection<Options>, signal: AbortSignal): Promise<void>;
  /** Shows the author at once that the message was taken (a reaction, a status). Left out: the channel has nothing of the kind. */
  acknowledge?(what: Acknowledged, connection: Connection<Options>, signal: AbortSignal): Promise<void>;
  /** Answers the person whose action came with `handle`, to that person alone where the channel can. */
  answer?(handle: ReplyHandle, text: string, connection: Connection<Options>, signal: AbortSignal): Promise<void>;
  /** Shows an approval with its buttons. Default of the host: `post` with them. */
  requestApproval?(
    thread: ControlThread,
    post: ControlPost,
    connection: Connection<Options>,
    signal: AbortSignal,
  ): Promise<{ readonly message: string }>;
  /** The id of the message with this key in the thread; null: it is surely not there. */
  findMarker(thread: ControlThread, key: string, connection: Connection<Options>, signal: AbortSignal): Promise<string | null>;
}
