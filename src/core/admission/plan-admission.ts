import {
  type ControlAction,
  type EvidenceIds,
  InvalidInput,
  instantRevision,
  type Observation,
  type Parsed,
  type Subject,
} from '../../plugin/index.js';
import type { AuditEntry } from '../audit/audits.js';
import { type Heard, isTaken, type Listener } from '../automations/triggers.js';
import type { ThreadPlace } from '../controls/control.js';
import { type ConversationIdentity, type ConversationScope, identify } from '../conversations/conversation-id.js';
import type { AuthorKind, Trust } from '../deliveries/delivery.js';
import type { Callback } from '../effects/correlation.js';
import { evidenceHash, scopeHash } from '../effects/evidence.js';
import { contentHash, digestHash, identityHash } from '../receipts/receipt.js';
import type { Match, NoMatch, Route, Verdict } from '../routing/route.js';
import { subjectFault } from '../routing/subject-fault.js';
import { storable } from '../storable.js';
import { type AdmissibleEvent, TEXT_LIMIT } from './event.js';
import type { MessageChange } from './message-change.js';
import type { PlannedMatch } from './planned-match.js';
import { planStart } from './planned-start.js';

export type { AdmissibleEvent } from './event.js';
export type { PlannedMatch } from './planned-match.js';

/** Everything about an admission that needs no database. */
export interface Admission {
  readonly event: AdmissibleEvent;
  readonly identity: Buffer;
  readonly digest: Buffer | null;
  readonly contentHash: Buffer;
  readonly subject: Subject | null;
  readonly observation: Observation | null;
  readonly messageKey: string | null;
  /** Set: the event may be our own doing. */
  readonly callback: PlannedCallback | null;
  /** The provider gave a subject another identity. */
  readonly move: { readonly from: Subject; readonly to: Subject } | null;
  readonly authorKind: AuthorKind | null;
  readonly title: string | null;
  readonly url: string | null;
  readonly matches: readonly PlannedMatch[];
  /** Set: the event changes a message, rather than being one. */
  readonly change: MessageChange | null;
  /** The routes that have a say in how its message was changed. */
  readonly routes: readonly Route[];
  /** The automations that have. */
  readonly listeners: readonly Listener[];
  readonly refusals: readonly NoMatch[];
  /** Set: the stored receipt whose event is decided again. */
  readonly replayOf: number | null;
  /** True: somebody asked for it, so what waits to be asked for is admitted too. */
  readonly isReplay: boolean;
  /** True: the provider can be asked which of two changes of one revision came last. */
  readonly canBeRead: boolean;
  /** Set: it was said in a thread that belongs to a conversation. */
  readonly bound: BoundThread | null;
  /** Set: it may have been said in a thread that is being made for a conversation; it is decided again when that is known. */
  readonly early: ThreadPlace | null;
  /** How far what is said in threads of its connection is trusted. */
  readonly threadTrust: Trust;
  /** True: its channel can show that a message was taken. */
  readonly isAcknowledged: boolean;
  /** Who decides: `accept`, or an operator. */
  readonly by: string;
  /** The line of the audit log that is stored with it; null: nobody asked for it through the API. */
  readonly audit: AuditEntry | null;
}

/** A thread and the conversation that it belongs to. */
export interface BoundThread {
  readonly thread: string;
  readonly conversation: string;
  /** Its subject. */
  readonly about: Subject;
  /** What is wanted of the host; null: nothing. */
  readonly action: ControlAction | null;
}

/** The evidence that an event carries; `occurredAt` null: only its arrival is known. */
export interface PlannedCallback extends Omit<Callback, 'at'> {
  readonly ids: EvidenceIds;
  readonly occurredAt: number | null;
}

/** An admission that is to be decided, with its receipt. */
export interface Fresh {
  readonly index: number;
  readonly admission: Admission;
  readonly receipt: number;
}

/** Who decides about a stored event again. */
export interface ReplayPlan {
  readonly by: string;
  /** The receipt that is decided again; null: the event comes under a new one. */
  readonly receipt: number | null;
  /** Identity of the receipt that the event first came with. */
  readonly origin: Buffer;
  /** When the stored event arrived. */
  readonly receivedAt: number;
}

const TITLE_LIMIT = 300;
const URL_LIMIT = 2000;
export const MESSAGE_KEY_LIMIT = 255;

/** `heard`: what automations say to it. */
export function planAdmission(
  event: AdmissibleEvent,
  verdicts: readonly Verdict[],
  replay?: ReplayPlan,
  heard: readonly Heard[] = [],
): Admission {
  const { parsed } = event;
  const identity = identityHash(event);
  const subject = parsed.subject !== null && subjectFault(parsed.subject) === null ? parsed.subject : null;
  const messageKey = parsed.kind === 'prompt' ? (parsed.messageKey ?? null) : null;
  return {
    event,
    identity,
    digest: event.uniqueContent === null ? null : digestHash(event.org, event.source, event.uniqueContent),
    contentHash: contentHash(event.uniqueContent ?? event.body),
    subject,
    observation: subject && parsed.observation ? parsed.observation : null,
    messageKey: messageKey === null ? null : storable(messageKey, MESSAGE_KEY_LIMIT),
    callback: planCallback(event, subject, replay?.receivedAt ?? null),
    move: moveOf(parsed),
    authorKind: parsed.author ? (parsed.author.isBot || parsed.author.isSelf ? 'machine' : 'person') : null,
    title: parsed.title ? storable(parsed.title, TITLE_LIMIT) : null,
    url: parsed.url ? storable(parsed.url, URL_LIMIT) : null,
    matches: [
      ...verdicts.filter((verdict) => verdict.matched).map((match) => planMatch(event, match, replay?.origin ?? identity)),
      ...heard.filter(isTaken).map((each) => planStart(event, each, replay?.origin ?? identity)),
    ],
    change: null,
    routes: [],
    listeners: [],
    refusals: [...verdicts, ...heard.map(({ verdict }) => verdict)].filter((verdict) => !verdict.matched),
    replayOf: replay?.receipt ?? null,
    isReplay: replay !== undefined,
    ...{ bound: null, early: null, threadTrust: 'untrusted', isAcknowledged: false },
    canBeRead: false,
    by: replay?.by ?? 'accept',
    audit: null,
  };
}

/** The end of a subject is told whoever caused it: it is neither held nor suppressed. */
function planCallback(
  { org, provider, parsed }: AdmissibleEvent,
  subject: Subject | null,
  receivedAt: number | null,
): PlannedCallback | null {
  const { evidence } = parsed;
  if (evidence === undefined || parsed.kind === 'lifecycle' || parsed.observation?.state === 'terminal') return null;
  const { account, kind, action, ids, marker } = evidence;
  return {
    ...{ scope: scopeHash({ org, provider, account, kind, action }), subject, evidence: evidenceHash(evidence, ids), marker, ids },
    occurredAt: instantOf(parsed) ?? receivedAt,
  };
}

function instantOf({ occurredAt }: Parsed): number | null {
  const revision = instantRevision(occurredAt);
  return revision === null ? null : Date.parse(revision);
}

function planMatch(event: AdmissibleEvent, { route, subject, text }: Match, origin: Buffer): PlannedMatch {
  const { parsed } = event;
  const own = parsed.kind === 'prompt' ? parsed.text : '';
  return {
    ...conversationOf(event, route, subject, origin),
    route: route.name,
    workspace: route.workspace,
    onDemand: route.activation === 'on_demand',
    continueOnly: parsed.kind === 'prompt' && parsed.continueOnly === true,
    waking: route.wake,
    wakeAfterMs: route.wakeAfterMs,
    trust: route.trust,
    lifecycle: route.lifecycle,
    afterClose: route.afterClose,
    whileBusy: route.whileBusy,
    debounceMs: route.debounceMs,
    text: text === own ? null : storable(text, TEXT_LIMIT),
  };
}

type Place = Pick<PlannedMatch, 'conversation' | 'scope' | 'about'>;

export function conversationOf(event: AdmissibleEvent, route: Match['route'], subject: Subject | null, origin: Buffer): Place {
  const { org } = event;
  const by = { kind: 'route', name: route.name } as const;
  if (subject === null) {
    // An event without a subject has a conversation of its own; made of its first receipt's identity, so every replay finds the same.
    const run = `${origin.toString('hex')}-${route.name}`;
    const conversation = identify(org, { namespace: '', key: '' }, { scope: 'run', ...by, run });
    return { conversation, scope: null, about: conversation };
  }
  const scope: ConversationScope =
    route.scope === 'automation' ? { scope: 'automation', ...by, source: event.source } : { scope: 'subject' };
  return { conversation: identify(org, subject, scope), scope, about: subject };
}

function moveOf(parsed: Parsed): Admission['move'] {
  const [from, to] =
    parsed.kind === 'lifecycle' ? [parsed.subject, parsed.movedTo] : parsed.kind === 'prompt' ? [parsed.movedFrom, parsed.subject] : [];
  if (!from || !to || subjectFault(from) !== null || subjectFault(to) !== null) return null;
  return from.namespace === to.namespace && from.key === to.key ? null : { from, to };
}

/** A message that an operator or a program sends past the routes, to a conversation that exists. */
export function planMessage(
  event: AdmissibleEvent,
  conversation: ConversationIdentity,
  options: { waking: boolean; by: string; trust: Trust },
): Admission {
  if (event.parsed.kind !== 'prompt') throw new InvalidInput('a message is a prompt');
  const match: PlannedMatch = {
    conversation,
    scope: null,
    about: conversation,
    route: null,
    workspace: null,
    onDemand: false,
    continueOnly: true,
    waking: options.waking,
    wakeAfterMs: null,
    trust: options.trust,
    lifecycle: 'follow',
    afterClose: 'ignore',
    whileBusy: 'steer',
    debounceMs: 0,
    text: null,
  };
  return { ...planAdmission({ ...event, parsed: { ...event.parsed, subject: null } }, []), matches: [match], by: options.by };
}
