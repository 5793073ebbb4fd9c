import type { EventPattern } from '../../plugin/expressions/event-pattern.js';
import type { Expression } from '../../plugin/expressions/expression.js';
import type { Author, Parsed, Subject } from '../../plugin/index.js';

/** Who may wake an agent. Ourselves and bots never may, unless said otherwise. */
export interface AuthorPolicy {
  readonly allowSelf: boolean;
  readonly allowBots: boolean;
  /** Ids, logins or roles (as `role:MEMBER`), one of which the author must have; empty: everybody. */
  readonly allow: readonly string[];
}

/**
 * `enqueue`: it waits. `collect`: it waits, and its turn until nothing has arrived for a while. `steer`: it joins the turn, where the
 * runtime can take it, else it waits. `interrupt`: the turn ends for it. `reject`: it is refused.
 */
export const WHILE_BUSY = ['enqueue', 'collect', 'steer', 'interrupt', 'reject'] as const;
export type WhileBusy = (typeof WHILE_BUSY)[number];

/** A configured route, compiled: what it takes, and what becomes of what it takes. */
export interface Route {
  readonly name: string;
  readonly org: string;
  /** Name of the connection whose events it looks at. */
  readonly source: string;
  readonly workspace: string;
  /** The place of the connection whose events alone it takes; null: all. */
  readonly endpoint: string | null;
  /** Patterns over event keys with `*`, `?` and `{a,b}`; one of them must match. */
  readonly on: readonly EventPattern[];
  /** JMESPath over the payload; null: everything. */
  readonly filter: Expression | null;
  readonly scope: 'subject' | 'automation';
  /** The subject's key by expression instead of the plugin's parser. */
  readonly subject: Expression | null;
  /** The text of the message by expression instead of the plugin's parser. */
  readonly text: Expression | null;
  readonly activation: 'on_event' | 'on_demand';
  /** What was kept while it was `on_demand` is admitted once it is `on_event`. */
  readonly replay: boolean;
  readonly wake: boolean;
  /** Milliseconds after which a message that wakes nobody is due by itself; null: never. */
  readonly wakeAfterMs: number | null;
  readonly authors: AuthorPolicy;
  readonly trust: 'trusted' | 'untrusted';
  readonly coalesce: number;
  readonly onDead: 'stall' | 'skip';
  readonly lifecycle: 'follow' | 'ignore';
  readonly afterClose: 'ignore' | 'answer';
  /** Whether an agent that was given a message is told when the message is edited or withdrawn. */
  readonly edits: 'ignore' | 'deliver';
  /** What becomes of a message while a turn of its conversation runs. */
  readonly whileBusy: WhileBusy;
  /** The quiet that `collect` waits for, in milliseconds. */
  readonly debounceMs: number;
  readonly instructions: string | null;
  /** What its agents may write. */
  readonly outbound: 'read_only' | 'approval_required' | 'allowed';
  /** Who may decide about approvals in a thread, as `AuthorPolicy.allow` names them; empty: the workspace says it. */
  readonly approvers: readonly string[];
}

/** What the matcher looks at. */
export interface RoutableEvent {
  readonly org: string;
  readonly source: string;
  readonly eventKey: string;
  readonly payload: unknown;
  readonly parsed: Parsed;
}

/** A route takes the event, and this is what it makes of it. */
export interface Match {
  readonly matched: true;
  readonly route: Route;
  /** Null: a conversation of its own for this one event, with the reason why it has no subject. */
  readonly subject: Subject | null;
  readonly noSubject: string | null;
  readonly text: string;
}

/** Why a route does not take the event: the first that applies, in this order. */
export type NoMatchReason = 'source' | 'endpoint' | 'event_key' | 'filter' | 'author_self' | 'author_bot' | 'author_not_allowed';

export interface NoMatch {
  readonly matched: false;
  readonly route: string;
  readonly reason: NoMatchReason;
  /** For people: what was compared with what. */
  readonly detail: string;
}

export type Verdict = Match | NoMatch;

export type { Author, EventPattern, Expression };
