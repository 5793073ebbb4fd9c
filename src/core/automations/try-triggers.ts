import type { Subject } from '../../plugin/index.js';
import type { RoutableEvent } from '../routing/route.js';
import { compileListeners, hear, type Listening } from './triggers.js';

/** What an automation would make of an event. */
export interface Trial {
  readonly matched: boolean;
  /** The place of the trigger that takes it, or came nearest, among all of them; null: it has none for events. */
  readonly trigger: number | null;
  /** Why not; or, of an event that it would take, why it has no subject. */
  readonly reason: string | null;
  readonly detail: string | null;
  readonly subject: Subject | null;
  readonly text: string | null;
}

const NO_TRIGGER: Trial = { matched: false, trigger: null, reason: 'no_event_trigger', detail: null, subject: null, text: null };

/** As accept asks its triggers: the first that takes the event; where none does, the one that came nearest says why. Pure. */
export function tryTriggers(automation: Listening, event: RoutableEvent): Trial {
  // How far a source is trusted, and where agents run, has no part in what is matched.
  const listeners = compileListeners(automation, { isSandboxed: false, trustOf: () => 'untrusted' });
  const listener = listeners.find(({ source }) => source === event.source) ?? listeners[0];
  const [heard] = listener === undefined ? [] : hear([listener], event);
  if (heard === undefined) return NO_TRIGGER;
  const { verdict } = heard;
  const trigger = heard.trigger.number;
  if (!verdict.matched) return { ...NO_TRIGGER, trigger, reason: verdict.reason, detail: verdict.detail };
  return { matched: true, trigger, reason: verdict.noSubject, detail: null, subject: verdict.subject, text: verdict.text };
}
