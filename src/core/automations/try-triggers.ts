import type { Subject } from '../../plugin/index.js';
import { matchRoute } from '../routing/match-route.js';
import type { NoMatchReason, RoutableEvent } from '../routing/route.js';
import { asMessage, type Triggered, triggerRoute } from './trigger-route.js';

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

/** How far the matcher comes before it refuses an event, in its order. */
const STEPS: readonly NoMatchReason[] = ['source', 'endpoint', 'event_key', 'filter', 'author_self', 'author_bot', 'author_not_allowed'];

const NO_TRIGGER: Trial = { matched: false, trigger: null, reason: 'no_event_trigger', detail: null, subject: null, text: null };

/** The first trigger that takes the event; where none does, the one that came nearest says why. Pure. */
export function tryTriggers(automation: Triggered, event: RoutableEvent): Trial {
  let nearest = { trial: NO_TRIGGER, step: -1 };
  const message = asMessage(event);
  for (const [trigger, each] of automation.spec.triggers.entries()) {
    if (each.type !== 'event') continue;
    // How far its source is trusted has no part in what it matches.
    const verdict = matchRoute(triggerRoute(automation, each, 'untrusted'), message);
    if (verdict.matched)
      return { matched: true, trigger, reason: verdict.noSubject, detail: null, subject: verdict.subject, text: verdict.text };
    const { reason, detail } = verdict;
    const step = STEPS.indexOf(reason);
    if (step > nearest.step) nearest = { trial: { ...NO_TRIGGER, trigger, reason, detail }, step };
  }
  return nearest.trial;
}
