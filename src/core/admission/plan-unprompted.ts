import { randomUUID } from 'node:crypto';
import { workspaceOf } from '../automations/automation.js';
import type { Listening } from '../automations/triggers.js';
import { identityHash } from '../receipts/receipt.js';
import { fenced } from '../routing/route-text.js';
import { type AdmissibleEvent, type Admission, planAdmission } from './plan-admission.js';
import { planDirect, type StartingMatch } from './planned-start.js';

/** A start that no event of anybody's is behind. */
export interface Unprompted {
  readonly automation: Listening;
  readonly by: string;
  readonly why: Wanted | Due;
}

/** A person or a program wants it; works also while it is off. */
interface Wanted {
  readonly cause: 'api';
  /** The caller's idempotency key; null: every call is a start of its own. */
  readonly key: string | null;
  /** What it is given; null: nothing. */
  readonly inputs: Readonly<Record<string, unknown>> | null;
}

/** An instant of one of its schedules has come: whoever starts it, and however often, it is started once. */
interface Due {
  readonly cause: 'cron';
  /** The place of the schedule among its triggers. */
  readonly trigger: number;
  /** The instant, in milliseconds. */
  readonly slot: number;
}

/** It passes accept as every event does: receipt, decision, conversation, delivery and run. */
export function planUnprompted({ automation, by, why }: Unprompted): Admission {
  const { id, org, version, generation, spec } = automation;
  const event = why.cause === 'api' ? wanted(automation, by, why) : due(automation, why);
  const start = {
    ...{ automation: id, version, generation, concurrency: spec.concurrency, cause: why.cause, source: event.source },
    slot: why.cause === 'cron' ? why.slot : null,
    inputs: why.cause === 'api' && why.inputs !== null ? JSON.stringify(why.inputs) : null,
  };
  return {
    ...planAdmission(event, []),
    matches: [planDirect(org, { ...start, workspace: workspaceOf(spec) }, identityHash(event))],
    by,
  };
}

/** What a stored start begins when it is decided about again, by the id that it first came under; null: it is none. */
export function planAgain(event: AdmissibleEvent, originId: string, origin: Buffer): StartingMatch | null {
  const cause = CAUSES[`${event.provider} ${event.source} ${event.eventKey}`];
  const [automation = '', , slot] = originId.split(':');
  if (cause === undefined) return null;
  // The store has the word about all else of it.
  const unread = { version: 0, generation: 0, concurrency: 'allow', workspace: '' } as const;
  const inputs = cause === 'api' ? inputsOf(event.payload) : null;
  return planDirect(
    event.org,
    { ...unread, automation, cause, source: event.source, slot: cause === 'cron' ? Number(slot) : null, inputs },
    origin,
  );
}

const CAUSES: Readonly<Record<string, 'api' | 'cron' | undefined>> = {
  'throughline api automation.dispatched': 'api',
  'throughline schedule schedule.fired': 'cron',
};

function inputsOf(payload: unknown): string | null {
  return typeof payload === 'object' && payload !== null && 'inputs' in payload ? JSON.stringify(payload.inputs) : null;
}

function wanted({ id, org }: Listening, by: string, { key, inputs }: Wanted): AdmissibleEvent {
  const text = inputs === null ? `${by} has started this by hand.` : `${by} has started this by hand, with:\n\n${fenced(inputs)}`;
  const payload = inputs === null ? {} : { inputs };
  return {
    ...{ org, provider: 'throughline', source: 'api', deliveryId: `${id}:${key ?? randomUUID()}`, eventKey: 'automation.dispatched' },
    ...{ payload, body: Buffer.from(JSON.stringify(payload)), uniqueContent: null, secretIndex: null },
    parsed: { kind: 'prompt', subject: null, text, author: { id: by, name: by, isBot: false } },
  };
}

function due({ id, org }: Listening, { trigger, slot }: Due): AdmissibleEvent {
  const at = new Date(slot).toISOString();
  const payload = { trigger, slot: at };
  return {
    ...{ org, provider: 'throughline', source: 'schedule', deliveryId: `${id}:${trigger}:${slot}`, eventKey: 'schedule.fired' },
    ...{ payload, body: Buffer.from(JSON.stringify(payload)), uniqueContent: null, secretIndex: null },
    parsed: { kind: 'prompt', subject: null, text: `The schedule of this has come to ${at}.` },
  };
}
