import { machine } from '../machine.js';

/**
 * Something that starts runs.
 *
 *   draft     is being written: nothing starts it but a person
 *   enabled   its triggers start it
 *   disabled  was switched off, by a person or after too many failures; a person may still start it
 */
export const automation = machine('automation', {
  draft: { enable: 'enabled', disable: 'disabled' },
  enabled: { disable: 'disabled', draft: 'draft' },
  disabled: { enable: 'enabled', draft: 'draft' },
});

export type AutomationState = 'draft' | 'enabled' | 'disabled';

/** `skip`: nothing starts while a run of the automation lives. `queue`: one after the other. */
export const CONCURRENCY = ['allow', 'skip', 'queue'] as const;
/** What becomes of messages whose sandbox is gone: a new one is made, they wait for a person, or they are dropped with a notice. */
export const ON_SANDBOX_GONE = ['restart', 'queue', 'drop'] as const;
/** `keep`: no change gives later events conversations of their own. `rekey`: every change does. Else those do that change what its agents are. */
export const ON_EDIT = ['keep', 'rekey'] as const;

/** What the matcher of an event trigger is made of; the fields are those of a route under the names of the API. */
export interface EventTrigger {
  readonly type: 'event';
  /** Name of a connection. */
  readonly source: string;
  readonly on: readonly string[];
  readonly filter: string | null;
  readonly destination: 'dispatch_run' | 'continue_conversation';
  readonly subject_key_expr: string | null;
  readonly turn_text_expr: string | null;
  readonly wake_agent: boolean;
  readonly authors: { readonly allow: readonly string[]; readonly bots: boolean; readonly self: boolean };
  readonly coalesce: number;
  /** Milliseconds of quiet that a turn waits for; null: none. */
  readonly debounce_ms: number | null;
}

export interface CronTrigger {
  readonly type: 'cron';
  /** Five fields. */
  readonly schedule: string;
  /** IANA name. */
  readonly timezone: string;
  /** What becomes of slots that nobody was there for. */
  readonly catch_up: 'skip' | 'one' | 'all';
}

export type Trigger = EventTrigger | CronTrigger;

/** An automation as it is stored: complete, checked, every default filled in. Its JSON is what a version keeps. */
export interface AutomationSpec {
  readonly name: string;
  readonly triggers: readonly Trigger[];
  /** Set: the agent is told it first, before the event. Null: the entrypoint of the tarball decides. */
  readonly prompt: string | null;
  /** `upload://<id>` or `https://…`. */
  readonly tarball: string | null;
  readonly entrypoint: string | null;
  /** Name of a configured runtime; null: that of the workspace. */
  readonly runtime: string | null;
  /** Name of a configured workspace; null: a folder of its own for each conversation. */
  readonly workspace: string | null;
  /** Longest run. */
  readonly timeout_ms: number;
  /** True: its sandbox outlives the run. */
  readonly keep_alive: boolean;
  readonly concurrency: (typeof CONCURRENCY)[number];
  readonly on_sandbox_gone: (typeof ON_SANDBOX_GONE)[number];
  /** Null: a change of runtime, tarball or entrypoint gives later events conversations of their own, and no other. */
  readonly on_edit: (typeof ON_EDIT)[number] | null;
}

/** The automation in ids of conversations: from the second generation on, those before stay what they were. */
export function generationName(id: string, generation: number): string {
  return generation === 1 ? id : `${id}@${generation}`;
}

/** What deliveries of an automation have for a route. */
export function routeOfAutomation(id: string): string {
  return `automation:${id}`;
}

export function isOfAutomation(route: string | null): boolean {
  return route?.startsWith('automation:') ?? false;
}

/** The workspace of conversations whose automation names a runtime instead. */
export function workspaceOfRuntime(runtime: string): string {
  return `runtime:${runtime}`;
}

/** Where its conversations are worked on. */
export function workspaceOf({ workspace, runtime }: Pick<AutomationSpec, 'workspace' | 'runtime'>): string {
  return workspace ?? workspaceOfRuntime(runtime ?? '');
}
