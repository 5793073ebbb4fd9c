import type { AdmissibleEvent } from '../../src/core/admission/plan-admission.js';
import { compileRoute, type RouteSpec } from '../../src/core/routing/compile-route.js';
import type { Route } from '../../src/core/routing/route.js';
import type { Lifecycle, Observation, Parsed, Prompt, Subject } from '../../src/plugin/index.js';

const SPEC: RouteSpec = {
  name: 'triage',
  org: 'default',
  source: 'tracker',
  workspace: 'main',
  endpoint: null,
  on: ['*'],
  filter: null,
  scope: 'subject',
  subject: null,
  text: null,
  activation: 'on_event',
  replay: false,
  wake: true,
  wakeAfterMs: null,
  authors: { allowSelf: false, allowBots: false, allow: [] },
  trust: 'untrusted',
  coalesce: 20,
  onDead: 'stall',
  lifecycle: 'follow',
  afterClose: 'ignore',
  edits: 'ignore',
  whileBusy: 'steer',
  debounceMs: 2000,
  instructions: null,
  outbound: 'approval_required',
  approvers: [],
};

export function route(change: Partial<RouteSpec> = {}): Route {
  return compileRoute({ ...SPEC, ...change });
}

export function subject(key: string): Subject {
  return { namespace: 'tracker:acme', key };
}

export function prompt(key: string, text: string, change: Partial<Prompt> = {}): Prompt {
  return { kind: 'prompt', subject: subject(key), text, author: { id: '42', name: 'ada', isBot: false }, ...change };
}

/** Revision of an instant, as plugins make them. */
export function revision(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
}

export function ended(second: number, change: Partial<Observation> = {}): Observation {
  return { state: 'terminal', reason: 'completed', revision: revision(second), transition: true, ...change };
}

export function opened(second: number, change: Partial<Observation> = {}): Observation {
  return { state: 'open', revision: revision(second), transition: true, ...change };
}

export function lifecycle(key: string, observation: Observation): Lifecycle {
  return { kind: 'lifecycle', subject: subject(key), observation };
}

let count = 0;

/** An event of a connection named `tracker`; its body holds its text, so that different events have different bodies. */
export function event(parsed: Parsed, change: Partial<AdmissibleEvent> = {}): AdmissibleEvent {
  const number = ++count;
  const payload = change.payload ?? { number, parsed };
  return {
    org: 'default',
    source: 'tracker',
    provider: 'fake',
    deliveryId: `delivery-${number}`,
    eventKey: parsed.kind === 'lifecycle' ? 'issue.closed' : 'comment.created',
    payload,
    body: Buffer.from(JSON.stringify(payload)),
    parsed,
    uniqueContent: null,
    secretIndex: 0,
    ...change,
  };
}

/** A comment of a person about a subject. */
export function comment(key: string, text = `about ${key}`, change: Partial<Prompt> = {}): AdmissibleEvent {
  return event(prompt(key, text, change));
}

export function closing(key: string, second: number, change: Partial<Observation> = {}): AdmissibleEvent {
  return event(lifecycle(key, ended(second, change)));
}
