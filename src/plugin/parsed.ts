import type { AttachmentReference } from './attachment.js';
import type { Connection } from './connection.js';
import type { ControlAction, ReplyHandle } from './control.js';
import type { CallbackEvidence } from './effect.js';
import type { Author, Observation, Subject } from './subject.js';

/** An event whose sender is proved. The payload is still `unknown`: only the plugin's parser reads it. */
export interface AuthenticEvent<Options extends object = object> {
  readonly connection: Connection<Options>;
  readonly eventKey: string;
  readonly payload: unknown;
}

/** A place that one subject stands at for a while, by which events that do not name it can be told to be about it. */
export interface Landmark {
  /** That of the subjects. */
  readonly namespace: string;
  /** At most 255 characters, for example the commit at the head of a pull request. */
  readonly name: string;
}

interface About {
  /** Null is an answer: the event is about nothing that a conversation could be about. */
  readonly subject: Subject | null;
  /** A short line for people, for example `[PYN-123] Repair scheduler`. Not an identity. */
  readonly title?: string;
  /** Where a person looks at it. */
  readonly url?: string;
  readonly author?: Author;
  readonly observation?: Observation;
  /** When it happened, by the provider's clock; ISO-8601. */
  readonly occurredAt?: string;
  /** What would prove that the event is the callback of a write of ours; for kinds of events that our own writes cause. */
  readonly evidence?: CallbackEvidence;
  /**
   * The thread at this connection's channel in which it was said, by the id that `ControlChannel.ensureThread` gives. Where it is bound to
   * a conversation, a person's message belongs to that conversation alone, and no route is asked.
   */
  readonly thread?: string;
  /** The place of the connection that it came from, as `PluginDefinition.endpoints` names them. */
  readonly endpoint?: string;
  /**
   * With a subject and an observation: where the subject stands from now on, until it ends or stands elsewhere. With a subject of null: the
   * event is about the subject that stands there; exactly one that is open is then its subject, and where there are none or several it has none.
   */
  readonly landmark?: Landmark;
  /** What the provider's preparer, trusted processor or lifecycle handler needs later; small, JSON, without bodies of messages. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** An event that may wake an agent. */
export interface Prompt extends About {
  readonly kind: 'prompt';
  /** What the author wrote or did, short; never the raw payload. May be empty only with attachments. */
  readonly text: string;
  /** Length of what the plugin itself says in `text` before the author's words: a command in a thread is looked for behind it. Default: 0. */
  readonly lead?: number;
  /** The files that came with it, for a plugin with `attachments`; at most 20. */
  readonly attachments?: readonly AttachmentReference[];
  /**
   * Identity of the message itself, where the provider may send two events about one message (Slack: team, channel, ts).
   * At most 255 characters.
   */
  readonly messageKey?: string;
  /** True: joins an existing conversation of the subject, never starts one. */
  readonly continueOnly?: boolean;
  /** The subject went by another identity before, and the provider says so here: its conversations go on under the new one. */
  readonly movedFrom?: Subject;
}

/** An event that only says how its subject's life went on; it never makes a turn. */
export interface Lifecycle extends About {
  readonly kind: 'lifecycle';
  readonly observation: Observation;
  /** The subject ends here because it goes on under this identity: its conversations do so, too. */
  readonly movedTo?: Subject;
}

/** A message was changed. What still waits reads as it does now; what an agent has been given comes again only where a route asks for it. */
export interface Edit extends About {
  readonly kind: 'edit';
  /** That of the prompt that the message was. */
  readonly messageKey: string;
  /** The whole message as it reads now, in the form that its prompt had. */
  readonly text: string;
  /** Orders the edits of a message by plain string comparison, see `instantRevision`; null: they count as they arrive. */
  readonly revision: string | null;
}

/** A message was taken back: it is not given to an agent any more. */
export interface Withdrawal extends About {
  readonly kind: 'withdrawal';
  /** That of the prompt that the message was. */
  readonly messageKey: string;
}

/** Authentic, understood, and by the provider's rules nothing for an agent: `own_message`, `bot_message`, `proposal`, `no_text_change`. */
export interface Ignored extends About {
  readonly kind: 'ignored';
  readonly reason: string;
}

/** Authentic, and kept for the record alone: `ping`, `unknown_event`, `invalid_shape`. */
export interface Recorded extends About {
  readonly kind: 'recorded';
  readonly reason: string;
}

/** A person wants something of the host: pressed a button, or gave a command of the channel's own. Never a prompt for an agent. */
export interface Action extends About {
  readonly kind: 'action';
  readonly thread: string;
  readonly author: Author;
  readonly action: ControlAction;
  /** How the person is answered, where the channel has a way of its own. */
  readonly reply?: ReplyHandle;
}

export type Parsed = Action | Prompt | Edit | Withdrawal | Lifecycle | Ignored | Recorded;

/**
 * Pure and total: the same event gives the same answer, without network, clock or exception, whatever the payload holds.
 * A payload that does not have the shape it should is `recorded` with reason `invalid_shape`.
 */
export interface SubjectParser<Options extends object = object> {
  parse(event: AuthenticEvent<Options>): Parsed;
}
