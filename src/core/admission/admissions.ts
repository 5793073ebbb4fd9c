import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.js';
import { isRefused, type Tx } from '../../database/tx.js';
import { DomainError, InvalidInput, NotFound, type Parsed } from '../../plugin/index.js';
import { pendingAudit } from '../audit/pending-audit.js';
import type { ConversationIdentity } from '../conversations/conversation-id.js';
import { readConversations } from '../conversations/conversations.js';
import type { Trust } from '../deliveries/delivery.js';
import { matchRoutes } from '../routing/match-route.js';
import type { Route, Verdict } from '../routing/route.js';
import type { Signals } from '../signals.js';
import { type Admitted, admitEvents } from './admit-events.js';
import type { AdmissionAnswer } from './event.js';
import { GroupCommit } from './group-commit.js';
import { isUnnamed, locate } from './landmarks.js';
import { type AdmissibleEvent, type Admission, planAdmission, planMessage, type ReplayPlan } from './plan-admission.js';
import { planChange } from './plan-change.js';
import { StoreUnavailable } from './store-unavailable.js';
import { readStored, readsPayload, replayId, storedEvent } from './stored-event.js';

export interface Message {
  readonly org: string;
  readonly conversation: string;
  readonly text: string;
  readonly wake: boolean;
  readonly by: string;
  /** The caller's idempotency key; null: every call is a message of its own. */
  readonly key: string | null;
}

/** What the host itself has to say to an agent. */
export interface Notice extends Omit<Message, 'key'> {
  /** However often it is told under one id, it is told once. */
  readonly id: string;
  readonly eventKey: string;
  /** Which part of the host says it. Default: `approvals`. */
  readonly source?: 'approvals' | 'tasks';
  /** `untrusted` where it quotes what anybody may have written. Default: `trusted`. */
  readonly trust?: Trust;
}

export interface Replay {
  readonly org: string;
  readonly receipt: number;
  readonly by: string;
  /** Names of the routes to decide by; null: all. */
  readonly routes: readonly string[] | null;
  /** True: conversations that have had it get it once more, under a receipt of its own. */
  readonly force: boolean;
  /** True: nothing was decided about it but that it waits, and nobody asked for it. */
  readonly isFirst?: boolean;
}

/** What must commit together with events. Either may throw; then nothing is stored. */
export interface Bracket {
  before(tx: Tx): Promise<void>;
  after(tx: Tx): Promise<void>;
}

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
};
/** What is known of connections that people write at. */
export interface Talk {
  /** Only trusted people can write there. */
  isPrivate(org: string, source: string): boolean;
  /** Its channel can show that a message was taken. */
  acknowledges(org: string, source: string): boolean;
}

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
    const located = isUnnamed(event.parsed) ? await this.located(event) : event;
    return this.submit(this.plan(located, this.verdicts(located, null)));
  }

  /** All of them with what goes with them in one transaction, or none. Resolves after the commit; throws `StoreUnavailable` and `InvalidPayload`. */
  async admitTogether(events: readonly AdmissibleEvent[], bracket: Bracket): Promise<readonly AdmissionAnswer[]> {
    const admissions: Admission[] = [];
    for (const event of events) {
      const located = isUnnamed(event.parsed) ? await this.located(event) : event;
      admissions.push(this.plan(located, this.verdicts(located, null)));
    }
    return this.orRefusal(this.commit(admissions, bracket));
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
    const { receipt, origin } = stored;
    const event = storedEvent(
      receipt,
      this.routes.filter(({ org, source }) => org === receipt.org && source === receipt.source).some(readsPayload),
    );
    const verdicts = this.verdicts(event, replay.routes);
    const { by } = replay;
    const receivedAt = receipt.received_at;
    const plan = this.plan(event, verdicts, { by, origin, receivedAt, receipt: receipt.id });
    if (replay.isFirst) return { ...plan, isReplay: false, isAcknowledged: this.isAcknowledged(event) };
    if (!replay.force) return plan;
    const again = { ...event, provider: 'throughline', deliveryId: replayId(receipt.id), uniqueContent: null };
    // The message has its delivery already; this one is beside it, whoever caused it.
    return { ...this.plan(again, verdicts, { by, origin, receivedAt, receipt: null }), messageKey: null, callback: null };
  }

  /** What every route of the organisation would say to the event; nothing is stored. */
  dryRun(event: Pick<AdmissibleEvent, 'org' | 'source' | 'eventKey' | 'payload' | 'parsed'>, route: string | null): Verdict[] {
    const routes = this.routes.filter(({ org, name }) => org === event.org && (route === null || route === name));
    return matchRoutes(routes, event, 'every');
  }

  private plan(event: AdmissibleEvent, verdicts: readonly Verdict[], replay?: ReplayPlan): Admission {
    const canBeRead = event.parsed.observation !== undefined && this.canBeRead(event.org, event.source);
    const { org, source } = event;
    const isAcknowledged = replay === undefined && this.isAcknowledged(event);
    return {
      ...planAdmission(event, verdicts, replay),
      ...{ change: planChange(event, this.routes), routes: this.routes, canBeRead, isAcknowledged },
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
    const { answers, fenced, settled, steered, refused, conflicts, isReady, hasJobs, hasErrands } = await this.database.transaction(
      async (tx) => {
        await bracket?.before(tx);
        const admitted = admissions.length === 0 ? NOTHING : await admitEvents(tx, admissions);
        await bracket?.after(tx);
        return admitted;
      },
      'by_index',
    );
    if (conflicts > 0) this.signals.emit('conflicts', conflicts);
    if (refused.length > 0) this.signals.emit('refused', refused);
    if (fenced.length > 0) this.signals.emit('fenced', fenced);
    if (steered.length > 0) this.signals.emit('steered', steered);
    if (isReady) this.signals.emit('ready');
    if (hasJobs) this.signals.emit('jobs');
    if (hasErrands) this.signals.emit('errands');
    for (const conversation of settled) this.signals.emit('activity', conversation);
    for (const { conversation } of answers.flatMap(({ duplicate, deliveries }) => (duplicate ? [] : deliveries)))
      this.signals.emit('activity', conversation);
    return answers;
  }

  private async identityOf(org: string, id: string): Promise<ConversationIdentity> {
    const [row] = await this.database.transaction((tx) => readConversations(tx, [id]));
    if (row?.org !== org) throw new NotFound(`there is no conversation ${id}`);
    return { id, org, namespace: row.namespace, key: row.key, scope: row.scope, scopeName: row.scope_name };
  }
}

class InvalidPayload extends InvalidInput {
  override readonly code = 'invalid_payload';
}
