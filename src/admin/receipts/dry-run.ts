import type { Admissions } from '../../core/admission/admissions.js';
import { type AdmissibleEvent, type PlannedMatch, planAdmission } from '../../core/admission/plan-admission.js';
import type { Heard } from '../../core/automations/triggers.js';
import { readConversations } from '../../core/conversations/conversations.js';
import type { Verdict } from '../../core/routing/route.js';
import type { Database } from '../../database/database.js';
import type { EventSource } from '../../ingress/event-source.js';
import { parseEvent } from '../../ingress/parse-event.js';
import { identifier } from '../../ingress/read-event.js';
import { InvalidInput, type Parsed } from '../../plugin/index.js';
import { badParameter } from '../errors.js';
import type { DryRunCandidateDto, DryRunDto } from './dry-run.dto.js';

/** The event as it would come in by this source, with what its plugin makes of it. */
export function sampleEvent(source: EventSource, payload: unknown, eventKey: string | null): AdmissibleEvent {
  const { connection, provider } = source;
  const body = Buffer.from(JSON.stringify(payload));
  const key = eventKey === null ? keyOf(source, { body, payload }) : identifier('event key', eventKey);
  const parsed = parseEvent(source, { eventKey: key, payload });
  const origin = { org: connection.org, source: connection.name, provider, deliveryId: 'dry-run', uniqueContent: null, secretIndex: null };
  return { ...origin, eventKey: key, payload, body, parsed };
}

/** A plugin may look for the kind of an event in headers, which nobody sends here. */
function keyOf({ transport, connection }: EventSource, sample: { body: Buffer; payload: unknown }): string {
  try {
    return identifier('event key', transport.eventKey({ headers: {}, ...sample, contentType: 'json' }, connection));
  } catch (error) {
    if (error instanceof InvalidInput) throw badParameter('event', `is needed: ${error.message}`);
    throw badParameter('event', 'is needed: the plugin cannot tell it from the payload alone');
  }
}

export interface Plan {
  readonly verdict: Verdict;
  /** Null where the route would not take the event. */
  readonly match: PlannedMatch | null;
}

/** What each verdict would come to, first those of the routes. Events that no route may take have none that does. */
export function plansOf(event: AdmissibleEvent, verdicts: readonly Verdict[], heard: readonly Heard[]): Plan[] {
  const isRoutable = event.parsed.kind === 'prompt' || event.parsed.kind === 'lifecycle';
  const matches = [...planAdmission(event, isRoutable ? verdicts : [], undefined, heard).matches];
  const ofRoutes = verdicts.map((verdict) => ({ verdict, match: isRoutable && verdict.matched ? (matches.shift() ?? null) : null }));
  return [...ofRoutes, ...heard.map(({ verdict }) => ({ verdict, match: verdict.matched ? (matches.shift() ?? null) : null }))];
}

/** What would become of an event; nothing is stored. */
export async function dryRunOf(
  event: AdmissibleEvent,
  route: string | null,
  { admissions, database }: { readonly admissions: Admissions; readonly database: Database },
): Promise<DryRunDto> {
  const { verdicts, heard } = await admissions.dryRun(event, route);
  const plans = plansOf(event, verdicts, heard);
  const ids = plans.flatMap(({ match }) => match?.conversation.id ?? []);
  const known = await database.transaction((tx) => readConversations(tx, [...new Set(ids)]));
  return toDryRun(event, plans, new Map(known.map(({ id, state }) => [id, state])));
}

function toDryRun({ eventKey, parsed }: AdmissibleEvent, plans: readonly Plan[], states: ReadonlyMap<string, string>): DryRunDto {
  return {
    event: eventKey,
    kind: parsed.kind,
    reason: reasonOf(parsed),
    subject: parsed.subject && { namespace: parsed.subject.namespace, key: parsed.subject.key },
    title: parsed.title ?? null,
    author: parsed.author?.name ?? null,
    matched: plans.filter(({ match }) => match !== null).length,
    candidates: plans.map((plan) => toCandidate(plan, parsed, states)),
  };
}

function toCandidate({ verdict, match }: Plan, parsed: Parsed, states: ReadonlyMap<string, string>): DryRunCandidateDto {
  const nothing = { subject: null, conversation: null, conversation_state: null, text: null, trust: null, wake: false };
  if (!verdict.matched) return { route: verdict.route, matched: false, reason: verdict.reason, detail: verdict.detail, ...nothing };
  if (match === null)
    return { route: verdict.route.name, matched: false, reason: reasonOf(parsed), detail: `the plugin says: ${parsed.kind}`, ...nothing };
  const { subject, noSubject, text, route } = verdict;
  const isMessage = parsed.kind === 'prompt' || match.start !== undefined;
  const conversation = match.conversation.scope === 'run' ? null : match.conversation.id;
  return {
    ...{
      route: route.name,
      matched: true,
      reason: noSubject,
      detail: null,
      subject: subject && { namespace: subject.namespace, key: subject.key },
    },
    ...{ conversation, conversation_state: conversation === null ? 'new' : (states.get(conversation) ?? 'new') },
    ...{
      text: isMessage ? text : null,
      trust: match.trust,
      wake: isMessage && match.waking && !match.onDemand,
    },
  };
}

function reasonOf(parsed: Parsed): string | null {
  return parsed.kind === 'ignored' || parsed.kind === 'recorded' ? parsed.reason : null;
}
