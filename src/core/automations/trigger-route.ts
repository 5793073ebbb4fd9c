import { compileRoute } from '../routing/compile-route.js';
import type { RoutableEvent, Route } from '../routing/route.js';
import { type AutomationSpec, type EventTrigger, routeOfAutomation, workspaceOf } from './automation.js';

/** An automation as its triggers need it. */
export interface Triggered {
  readonly id: string;
  readonly org: string;
  readonly spec: AutomationSpec;
}

/** An event trigger as the matcher of routes takes it. Throws `InvalidInput` for one that `readSpec` would have refused. */
export function triggerRoute({ id, org, spec }: Triggered, trigger: EventTrigger, trust: Route['trust']): Route {
  return compileRoute({
    ...{ name: routeOfAutomation(id), org, source: trigger.source, workspace: workspaceOf(spec) },
    ...{ endpoint: null, on: trigger.on, filter: trigger.filter, scope: 'automation' },
    ...{ subject: trigger.subject_key_expr, text: trigger.turn_text_expr, activation: 'on_event', replay: false },
    ...{ wake: trigger.wake_agent, wakeAfterMs: null, trust, coalesce: trigger.coalesce },
    authors: { allowSelf: trigger.authors.self, allowBots: trigger.authors.bots, allow: trigger.authors.allow },
    // The life of a subject does not end what an automation has to do about it.
    ...{ onDead: 'stall', lifecycle: 'ignore', afterClose: 'answer', edits: 'ignore' },
    ...{ whileBusy: trigger.debounce_ms === null ? 'steer' : 'collect', debounceMs: trigger.debounce_ms ?? 0 },
    ...{ instructions: null, outbound: 'approval_required', approvers: [] },
  });
}

/** Automations take events of every kind as messages, also those that would tell the agents of a route nothing. */
export function asMessage(event: RoutableEvent): RoutableEvent {
  const { parsed } = event;
  if (parsed.kind === 'prompt') return event;
  const { subject, title, url, author, endpoint } = parsed;
  const about = { subject, ...(title !== undefined && { title }), ...(url !== undefined && { url }) };
  const by = { ...(author !== undefined && { author }), ...(endpoint !== undefined && { endpoint }) };
  return { ...event, parsed: { kind: 'prompt', ...about, ...by, text: parsed.kind === 'edit' ? parsed.text : '' } };
}
