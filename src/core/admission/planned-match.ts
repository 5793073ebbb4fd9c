import type { Subject } from '../../plugin/index.js';
import type { AutomationSpec, EventTrigger } from '../automations/automation.js';
import type { ConversationIdentity, ConversationScope } from '../conversations/conversation-id.js';
import type { Trust } from '../deliveries/delivery.js';
import type { WhileBusy } from '../routing/route.js';

/** What a match wants of the conversation that it names. */
export interface PlannedMatch {
  readonly conversation: ConversationIdentity;
  /** How its id is computed when the subject is an alias; null: the conversation stays, whatever its subject is. */
  readonly scope: ConversationScope | null;
  /** The subject by itself, alias or not: its life is what a new conversation takes over. */
  readonly about: Subject;
  readonly route: string | null;
  /** The workspace that a conversation made by this match is placed in. Null: the match only joins what exists. */
  readonly workspace: string | null;
  readonly onDemand: boolean;
  readonly continueOnly: boolean;
  readonly waking: boolean;
  readonly wakeAfterMs: number | null;
  readonly trust: Trust;
  readonly lifecycle: 'follow' | 'ignore';
  readonly afterClose: 'ignore' | 'answer';
  readonly whileBusy: WhileBusy;
  readonly debounceMs: number;
  /** The message's text where it is not the parser's. */
  readonly text: string | null;
  /** The run that it may begin; left out: none. */
  readonly start?: PlannedStart;
}

/** What a match of an automation may do beside its delivery: begin a run. */
export interface PlannedStart {
  readonly automation: string;
  /** As they were when the event was held against the automation; the store has the word. */
  readonly version: number;
  readonly generation: number;
  readonly concurrency: AutomationSpec['concurrency'];
  readonly destination: EventTrigger['destination'];
  readonly isSandboxed: boolean;
  readonly cause: 'event' | 'cron' | 'api';
  /** The connection where it arrived. */
  readonly source: string;
  /** Why it has no subject; null: it has one, or none is looked for. */
  readonly noSubject: string | null;
  /** The instant of the schedule that it stands for. */
  readonly slot: number | null;
  /** JSON of what it was given. */
  readonly inputs: string | null;
}
