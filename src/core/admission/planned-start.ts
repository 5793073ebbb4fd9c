import type { Subject } from '../../plugin/index.js';
import { generationName, routeOfAutomation } from '../automations/automation.js';
import type { Heard } from '../automations/triggers.js';
import { type ConversationIdentity, type ConversationScope, identify } from '../conversations/conversation-id.js';
import type { Match } from '../routing/route.js';
import { runSubject } from '../runs/runs.js';
import { storable } from '../storable.js';
import { type AdmissibleEvent, TEXT_LIMIT } from './event.js';
import type { PlannedMatch, PlannedStart } from './planned-match.js';

/** A match of an automation: its conversations live and end with nothing but the automation's own runs. */
export type StartingMatch = PlannedMatch & { readonly start: PlannedStart };

/** What it does in its conversation, wherever the event comes from. */
const OWN_LIFE = { onDemand: false, continueOnly: false, wakeAfterMs: null, lifecycle: 'ignore', afterClose: 'answer' } as const;

export function isStarting(match: PlannedMatch): match is StartingMatch {
  return match.start !== undefined;
}

/** `origin`: identity of the receipt that the event first came with, so that every replay finds the same conversation. */
export function planStart(event: AdmissibleEvent, heard: Heard & { readonly verdict: Match }, origin: Buffer): StartingMatch {
  const { listener, trigger, verdict } = heard;
  const { route, subject, noSubject, text } = verdict;
  const { automation, version, generation, concurrency, isSandboxed, source } = listener;
  const own = event.parsed.kind === 'prompt' ? event.parsed.text : '';
  return {
    ...OWN_LIFE,
    ...placeOf({ org: event.org, automation, generation, source }, subject, origin),
    ...{ route: route.name, workspace: listener.workspace, waking: route.wake, trust: route.trust },
    ...{ whileBusy: route.whileBusy, debounceMs: route.debounceMs, text: text === own ? null : storable(text, TEXT_LIMIT) },
    start: {
      ...{ automation, version, generation, concurrency, isSandboxed, source, noSubject, destination: trigger.destination },
      ...{ cause: 'event', slot: null, inputs: null },
    },
  };
}

/** A start that no event of anybody's is behind. */
export function planDirect(
  org: string,
  { workspace, ...start }: Omit<PlannedStart, 'noSubject' | 'destination' | 'isSandboxed'> & { readonly workspace: string },
  origin: Buffer,
): StartingMatch {
  return {
    ...OWN_LIFE,
    ...placeOf({ org, ...start }, null, origin),
    ...{ route: routeOfAutomation(start.automation), workspace, waking: true, trust: 'trusted', whileBusy: 'enqueue', debounceMs: 0 },
    ...{ text: null, start: { ...start, noSubject: null, destination: 'dispatch_run', isSandboxed: false } },
  };
}

interface Whose {
  readonly org: string;
  readonly automation: string;
  readonly generation: number;
  readonly source: string;
}

/** The conversation of a subject, as an automation has it. */
export function startedConversation(
  org: string,
  { automation, generation, source }: Pick<Whose, 'automation' | 'generation' | 'source'>,
  subject: Subject,
): ConversationIdentity {
  return identify(org, subject, scopeOf({ automation, generation, source }));
}

function scopeOf({ automation, generation, source }: Pick<Whose, 'automation' | 'generation' | 'source'>): ConversationScope {
  return { scope: 'automation', kind: 'automation', name: generationName(automation, generation), source };
}

function placeOf({ org, automation, generation, source }: Whose, subject: Match['subject'], origin: Buffer) {
  if (subject === null) {
    const run = `${origin.toString('hex')}-${routeOfAutomation(automation)}`;
    const conversation = identify(org, { namespace: '', key: '' }, { scope: 'run', kind: 'automation', name: automation, run });
    return { conversation, scope: null, about: conversation };
  }
  const scope = scopeOf({ automation, generation, source });
  return { conversation: identify(org, subject, scope), scope, about: subject };
}

/** What of an automation is as it is now, rather than as it was when it was held against the event. */
export type Current = Pick<PlannedStart, 'version' | 'generation' | 'concurrency'> & { readonly workspace: string };

export function asOf(match: StartingMatch, { version, generation, concurrency, workspace }: Current): StartingMatch {
  if (version === match.start.version) return match;
  const start = { ...match.start, version, generation, concurrency };
  const { org } = match.conversation;
  const isRekeyed = match.scope !== null && generation !== match.start.generation;
  const place = isRekeyed ? placeOf({ org, ...start }, match.about, Buffer.alloc(0)) : {};
  return { ...match, ...place, workspace, start };
}

/** What its run holds while it lives; null: its conversation is the event's alone. */
export function subjectOf({ conversation, start }: StartingMatch): string | null {
  return conversation.scope === 'run' ? null : runSubject(start.source, conversation.key);
}
