import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.js';
import { isRefused } from '../../database/tx.js';
import { DomainError, InvalidInput, NotFound, type Parsed } from '../../plugin/index.js';
import { pendingAudit } from '../audit/pending-audit.js';
import { routeOfAutomation } from '../automations/automation.js';
import { type Heard, hear, type Listeners, NO_LISTENERS } from '../automations/triggers.js';
import type { ConversationIdentity } from '../conversations/conversation-id.js';
import { readConversations } from '../conversations/conversations.js';
import type { Trust } from '../deliveries/delivery.js';
import { matchRoutes } from '../routing/match-route.js';
import type { Route, Verdict } from '../routing/route.js';
import type { Signals } from '../signals.js';
import { type Admitted, admitEvents } from './admit-events.js';
import { announceAdmitted } from './announce-admitted.js';
import type { Bracket, Message, Notice, Replay, Talk } from './asked.js';
import type { AdmissionAnswer } from './event.js';
import { GroupCommit } from './group-commit.js';
import { isUnnamed, locate } from './landmarks.js';
import { type AdmissibleEvent, type Admission, planAdmission, planMessage, type ReplayPlan } from './plan-admission.js';
import { planChange } from './plan-change.js';
import { planAgain, planUnprompted, type Unprompted } from './plan-unprompted.js';
import { isStarting } from './planned-start.js';
import { StoreUnavailable } from './store-unavailable.js';
import { readStored, readsPayload, replayId, storedEvent } from './stored-event.js';

export type { Bracket, Message, Notice, Replay, Talk } from './asked.js';

const NOTHING: Admitted = {
  answers: [],
  fenced: [],
  steered: [],
  settled: [],
  refused: [],
  conflicts: 0,
  isReady: false,
  hasJobs: false,
  hasErrands: false,
  hasRuns: false,
};
const MUTE: Talk = { isPrivate: () => false, acknowledges: () => false };
const GROUP = 100;
const MAX_WAITING = 20_000;

/** The one way into the ledger and to an agent, for events of every origin. */
export class Admissions {
  private readonly group: GroupCommit<Admission, AdmissionAnswer>;

  constructor(
    private readonly database: Database,
    /** In the order of the file. */
    private readonly routes: readonly Route[],
    private readonly signals: Signals,
    /** Whether the provider behind a source can be asked how things are. */
    private readonly canBeRead: (org: string, source: string) => boolean = () => false,
    private readonly talk: Talk = MUTE,
    /** The automations, as they are at the moment. */
    private readonly listeners: Listeners = NO_LISTENERS,
  ) {
    this.group = new GroupCommit(
      (admissions) => this.commit(admissions),
      (error) => error instanceof DomainError || isRefused(database.dialect.fault(error)),
      {
        group: GROUP,
        waiting: MAX_WAITING,
        onOverflow: () => new StoreUnavailable('too many events are waiting for the store; send it again later'),
      },
    );
  }

  /** Resolves after the commit. Throws `StoreUnavailable` when nothing was stored. */
  async admit(event: AdmissibleEvent): Promise<AdmissionAnswer> {
    return this.submit(await this.planned(event));
  }

  /** All of them with what goes with them in one transaction, or none. Resolves after the commit; throws `StoreUnavailable` and `InvalidPayload`. */
  async admitTogether(events: readonly AdmissibleEvent[], bracket: Bracket): Promise<readonly AdmissionAnswer[]> {
    const admissions: Admission[] = [];
    for (const event of events) admissions.push(await this.planned(event));
    return this.orRefusal(this.commit(admissions, bracket));
  }

  private async planned(event: AdmissibleEvent): Promise<Admission> {
    if (this.listeners.pending !== null) await this.listeners.pending;
    const located = isUnnamed(event.parsed) ? await this.located(event) : event;
    return this.plan(located, this.verdicts(located, null), this.heard(located, null));
  }

  /** Before it is held against the routes: what it is about is a part of what they are asked. */
  private located(event: AdmissibleEvent): Promise<AdmissibleEvent> {
    return this.orRefusal(this.database.transaction((tx) => locate(tx, event), 'by_index'));
  }

  /** A person's or a program's message to a conversation that exists. Throws `NotFound`. */
  async send(message: Message): Promise<AdmissionAnswer> {
    const { org, conversation, text, wake, by, key } = message;
    const id = key === null ? randomUUID() : `${conversation}:${key}`;
    return this.say({ org, conversation, text, wake, by, id, eventKey: 'message' }, 'api', false);
  }

  /** Throws `NotFound`. */
  tell(notice: Notice): Promise<AdmissionAnswer> {
    return this.say(notice, notice.source ?? 'approvals', notice.by === 'throughline', notice.trust);
  }

  /** Begins a run of an automation without an event of anybody's; what the automation is by then, the store says. */
  start(unprompted: Unprompted): Promise<AdmissionAnswer> {
    return this.submit(planUnprompted(unprompted));
  }

  private async say(
    { org, conversation, text, wake, by, id, eventKey }: Notice,
    source: string,
    isBot: boolean,
    trust: Trust = 'trusted',
  ): Promise<AdmissionAnswer> {
    const identity = await this.identityOf(org, conversation);
    const parsed: Parsed = { kind: 'prompt', subject: null, text, author: { id: by, name: by, isBot } };
    const origin = { org, provider: 'throughline', source, deliveryId: id, eventKey, payload: { text } };
    const event = { ...origin, body: Buffer.from(JSON.stringify({ text })), parsed, uniqueContent: null, secretIndex: null };
    return this.submit(planMessage(event, identity, { waking: wake, by, trust }));
  }

  /** Decides about a stored event again. Throws `NotFound`, and `Conflict` when its payload is no longer there. */
  async replay(replay: Replay): Promise<AdmissionAnswer> {
    return this.submit(await this.planReplay(replay));
  }

  /** All of them in their order and in one transaction with what goes with them, or none. Throws as `replay` does. */
  async replayTogether(replays: readonly Replay[], bracket: Bracket): Promise<readonly AdmissionAnswer[]> {
    const admissions: Admission[] = [];
    for (const replay of replays) admissions.push(await this.planReplay(replay));
    return this.orRefusal(this.commit(admissions, bracket));
  }

  private async planReplay(replay: Replay): Promise<Admission> {
    const stored = await this.database.transaction((tx) => readStored(tx, replay.org, replay.receipt));
    if (stored === null) throw new NotFound(`there is no receipt ${replay.receipt}`);
    const { receipt, origin, originId } = stored;
    if (this.listeners.pending !== null) await this.listeners.pending;
    const event = storedEvent(receipt, this.routesOf(receipt).some(readsPayload));
    const verdicts = this.verdicts(event, replay.routes);
    const heard = this.heard(event, replay.routes);
    const { by } = replay;
    const receivedAt = receipt.received_at;
    const start = planAgain(event, originId, origin);
    const isAsked = start !== null && (replay.routes === null || replay.routes.some((name) => name === start.route));
    const direct = isAsked ? { matches: [start] } : {};
    const plan = { ...this.plan(event, verdicts, heard, { by, origin, receivedAt, receipt: receipt.id }), ...direct };
    if (replay.isFirst) return { ...plan, isReplay: false, isAcknowledged: this.isAcknowledged(event) };
    if (!replay.force) return plan;
    const again = { ...event, provider: 'throughline', deliveryId: replayId(receipt.id), uniqueContent: null };
    // The message has its delivery already; this one is beside it, whoever caused it.
    const planned = this.plan(again, verdicts, heard, { by, origin, receivedAt, receipt: null });
    return { ...planned, ...direct, messageKey: null, callback: null };
  }

  /** All that would be asked about events of a stored receipt's source. */
  private routesOf({ org, source }: { readonly org: string; readonly source: string }): Route[] {
    const triggers = this.listeners.of(org, source).flatMap((listener) => listener.triggers.map(({ route }) => route));
    return [...this.routes.filter((route) => route.org === org && route.source === source), ...triggers];
  }

  /** What every route of the organisation would say to the event, and every automation that listens to its source; nothing is stored. */
  async dryRun(event: AdmissibleEvent, route: string | null): Promise<{ readonly verdicts: Verdict[]; readonly heard: readonly Heard[] }> {
    if (this.listeners.pending !== null) await this.listeners.pending;
    const routes = this.routes.filter(({ org, name }) => org === event.org && (route === null || route === name));
    return { verdicts: matchRoutes(routes, event, 'every'), heard: this.heard(event, route === null ? null : [route]) };
  }

  private plan(event: AdmissibleEvent, verdicts: readonly Verdict[], heard: readonly Heard[], replay?: ReplayPlan): Admission {
    const canBeRead = event.parsed.observation !== undefined && this.canBeRead(event.org, event.source);
    const { org, source } = event;
    const listeners = this.listeners.of(org, source);
    const isAcknowledged = replay === undefined && this.isAcknowledged(event);
    return {
      ...planAdmission(event, verdicts, replay, heard),
      ...{ change: planChange(event, this.routes, listeners), routes: this.routes, listeners, canBeRead, isAcknowledged },
      threadTrust: this.talk.isPrivate(org, source) ? 'trusted' : 'untrusted',
    };
  }

  private isAcknowledged({ org, source, parsed }: AdmissibleEvent): boolean {
    return parsed.kind === 'prompt' && this.talk.acknowledges(org, source);
  }

  /** Only what may reach an agent or end a conversation is held against the routes. */
  private verdicts(event: AdmissibleEvent, only: readonly string[] | null): Verdict[] {
    if (event.parsed.kind !== 'prompt' && event.parsed.kind !== 'lifecycle') return [];
    return matchRoutes(only === null ? this.routes : this.routes.filter(({ name }) => only.includes(name)), event);
  }

  /** Automations take events of every kind. */
  private heard(event: AdmissibleEvent, only: readonly string[] | null): readonly Heard[] {
    const listeners = this.listeners.of(event.org, event.source);
    return hear(only === null ? listeners : listeners.filter(({ automation }) => only.includes(routeOfAutomation(automation))), event);
  }

  private async submit(admission: Admission): Promise<AdmissionAnswer> {
    const audit = pendingAudit();
    const answer = await this.orRefusal(this.group.submit({ ...admission, audit: audit?.entry ?? null }));
    if (audit !== null && !answer.duplicate) audit.isStored = true;
    return answer;
  }

  private async orRefusal<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      const fault = this.database.dialect.fault(error);
      if (fault === 'unavailable' || fault === 'retry') throw new StoreUnavailable(undefined, 5, { cause: error });
      if (fault === 'invalid') throw new InvalidPayload('the store refused the values of this event', [], { cause: error });
      throw error;
    }
  }

  private async commit(admissions: readonly Admission[], bracket?: Bracket): Promise<readonly AdmissionAnswer[]> {
    const admitted = await this.store(admissions, bracket).catch((error: unknown) => {
      // Another process has made the same conversation or run in this very moment: the second try finds it.
      if (this.database.dialect.fault(error) !== 'constraint' || !admissions.some(begins)) throw error;
      return this.store(admissions, bracket);
    });
    announceAdmitted(this.signals, admitted);
    return admitted.answers;
  }

  private store(admissions: readonly Admission[], bracket?: Bracket): Promise<Admitted> {
    return this.database.transaction(async (tx) => {
      await bracket?.before(tx);
      const admitted = admissions.length === 0 ? NOTHING : await admitEvents(tx, admissions);
      await bracket?.after(tx);
      return admitted;
    }, 'by_index');
  }

  private async identityOf(org: string, id: string): Promise<ConversationIdentity> {
    const [row] = await this.database.transaction((tx) => readConversations(tx, [id]));
    if (row?.org !== org) throw new NotFound(`there is no conversation ${id}`);
    return { id, org, namespace: row.namespace, key: row.key, scope: row.scope, scopeName: row.scope_name };
  }
}

function begins({ matches }: Admission): boolean {
  return matches.some(isStarting);
}

class InvalidPayload extends InvalidInput {
  override readonly code = 'invalid_payload';
}
