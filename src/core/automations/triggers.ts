import { matchRoute } from '../routing/match-route.js';
import type { Match, NoMatch, NoMatchReason, RoutableEvent, Route, Verdict } from '../routing/route.js';
import { expressedText } from '../routing/route-text.js';
import { type AutomationSpec, type EventTrigger, workspaceOf } from './automation.js';
import { asMessage, triggerRoute } from './trigger-route.js';
import { turnText } from './turn-text.js';

/** An event trigger, compiled. */
export interface CompiledTrigger {
  /** Its place among all triggers of its automation. */
  readonly number: number;
  readonly route: Route;
  readonly destination: EventTrigger['destination'];
}

/** The event triggers that an enabled automation has at one source. */
export interface Listener {
  readonly automation: string;
  readonly org: string;
  readonly source: string;
  readonly version: number;
  readonly generation: number;
  readonly workspace: string;
  readonly concurrency: AutomationSpec['concurrency'];
  /** Its conversations stand open in a sandbox, or nowhere; false: they are open once they are there. */
  readonly isSandboxed: boolean;
  /** In their order; the first that takes an event is the one that does. */
  readonly triggers: readonly [CompiledTrigger, ...CompiledTrigger[]];
}

/** Which automations listen to a source: what accept asks for each event, so that it is answered from memory. */
export interface Listeners {
  of(org: string, source: string): readonly Listener[];
  /** Set while a change that this process knows of is not in there yet. */
  readonly pending: Promise<void> | null;
}

export const NO_LISTENERS: Listeners = { of: () => [], pending: null };

/** What a listener says to an event. */
export type Heard =
  | { readonly listener: Listener; readonly trigger: CompiledTrigger; readonly verdict: Match }
  /** The trigger is the one that came nearest. */
  | { readonly listener: Listener; readonly trigger: CompiledTrigger; readonly verdict: NoMatch };

export interface Listening {
  readonly id: string;
  readonly org: string;
  readonly version: number;
  readonly generation: number;
  readonly spec: AutomationSpec;
}

interface Place {
  readonly isSandboxed: boolean;
  /** How far what a source says is trusted. */
  readonly trustOf: (source: string) => Route['trust'];
}

/** Compiles the event triggers of an automation, by their sources. Throws `InvalidInput` for one that was never checked. */
export function compileListeners(automation: Listening, { isSandboxed, trustOf }: Place): Listener[] {
  const { id, org, version, generation, spec } = automation;
  const compiled = spec.triggers.flatMap((trigger, number) =>
    trigger.type === 'event'
      ? [{ number, route: triggerRoute(automation, trigger, trustOf(trigger.source)), destination: trigger.destination }]
      : [],
  );
  const same = { automation: id, org, version, generation, workspace: workspaceOf(spec), concurrency: spec.concurrency, isSandboxed };
  return [...Map.groupBy(compiled, ({ route }) => route.source)].flatMap(([source, [first, ...others]]) =>
    first === undefined ? [] : [{ ...same, source, triggers: [first, ...others] }],
  );
}

/** What each listener says to the event, in their order: each takes it once. Pure; never throws, whatever the payload holds. */
export function hear(listeners: readonly Listener[], event: RoutableEvent): Heard[] {
  if (listeners.length === 0) return [];
  const message = asMessage(event);
  return listeners.map((listener) => hearOne(listener, message));
}

export function isTaken(heard: Heard): heard is Heard & { readonly verdict: Match } {
  return heard.verdict.matched;
}

/** How far the matcher comes before it refuses an event, in its order. */
const STEPS: readonly NoMatchReason[] = ['source', 'endpoint', 'event_key', 'filter', 'author_self', 'author_bot', 'author_not_allowed'];

function hearOne(listener: Listener, message: RoutableEvent): Heard {
  const [first, ...others] = listener.triggers;
  let nearest = { listener, trigger: first, verdict: verdictOf(first, message) };
  for (const trigger of others) {
    if (nearest.verdict.matched) break;
    const verdict = verdictOf(trigger, message);
    if (verdict.matched || STEPS.indexOf(verdict.reason) > STEPS.indexOf(nearest.verdict.reason)) nearest = { listener, trigger, verdict };
  }
  return nearest as Heard;
}

function verdictOf({ route }: CompiledTrigger, message: RoutableEvent): Verdict {
  return matchRoute(route, message, triggeredText);
}

/** What an automation's agent is told of an event that its trigger takes. */
export function triggeredText(route: Route, event: RoutableEvent): string {
  return expressedText(route, event) ?? turnText(event);
}
