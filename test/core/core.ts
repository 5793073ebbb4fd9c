import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { Admissions } from '../../src/core/admission/admissions.js';
import type { AdmissionAnswer } from '../../src/core/admission/event.js';
import type { AdmissibleEvent } from '../../src/core/admission/plan-admission.js';
import { type Listeners, NO_LISTENERS } from '../../src/core/automations/triggers.js';
import type { Claim } from '../../src/core/deliveries/claim.js';
import { type ClaimRequest, claimDeliveries, type Parked, type Room } from '../../src/core/deliveries/claim-deliveries.js';
import { type ClaimEnd, type EndResult, endClaims, type RetryPolicy } from '../../src/core/deliveries/end-claims.js';
import { NO_RULES } from '../../src/core/limits/rules.js';
import { Operations } from '../../src/core/operations.js';
import { enlist, type ReplicaIdentity } from '../../src/core/replicas/replicas.js';
import type { Route } from '../../src/core/routing/route.js';
import { conversationGone } from '../../src/core/runs/conversation-gone.js';
import { Signals } from '../../src/core/signals.js';
import type { TurnEnd } from '../../src/core/turns/turns.js';
import type { Database } from '../../src/database/database.js';
import type { Value } from '../../src/database/tx.js';
import { eachDatabase, migrated, type TestDatabase } from '../databases.js';
import { route } from './builders.js';
import { brokenRules } from './invariants.js';

export const POLICY: RetryPolicy = { maxAttempts: 3, backoff: { firstMs: 60_000, factor: 2, maxMs: 3_600_000 } };

export const ALL_ROOM: Room = { full: { workspaces: [], orgs: [] }, take: () => true };

export function replica(name: string, change: Partial<ReplicaIdentity> = {}): ReplicaIdentity {
  return { name, bootId: 'boot-1', pid: 4711, processStarted: 'then', ...change };
}

export const SAID: Omit<TurnEnd, 'state'> = { session: null, result: null, error: null, detail: null, costUsd: 0 };

export interface DeliveryRow {
  readonly sequence: number;
  readonly kind: string;
  readonly state: string;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly route: string | null;
  readonly waking: number;
  readonly attempts: number;
  readonly interruptions: number;
  readonly due_at: number | null;
  readonly failure: string | null;
  readonly receipt: number;
}

export interface QueueRow {
  readonly owner: number | null;
  readonly token: number;
  readonly parked: string | null;
  readonly ready_at: number | null;
  readonly open: number;
  readonly waking: number;
  readonly head: number;
  readonly next_sequence: number;
  readonly paused: number;
  readonly resting: number;
  readonly steerable: number;
  readonly claim_to: number | null;
  readonly quiet_until: number | null;
}

/** The core over a real database, driven by hand: what a worker does, one step at a time. */
export class Core {
  readonly signals: Signals;
  readonly admissions: Admissions;
  readonly operations: Operations;

  constructor(
    readonly database: Database,
    readonly test: TestDatabase,
    readonly owner: number,
    routes: readonly Route[],
    canBeRead = false,
    isTalking = false,
    listeners: Listeners = NO_LISTENERS,
  ) {
    this.signals = new Signals();
    const talk = { isPrivate: () => false, acknowledges: () => isTalking };
    this.admissions = new Admissions(database, routes, this.signals, () => canBeRead, talk, listeners);
    this.operations = new Operations(database, this.signals);
  }

  admit(event: AdmissibleEvent): Promise<AdmissionAnswer> {
    return this.admissions.admit(event);
  }

  /** Admits one after the other, each in a transaction of its own. */
  async admitAll(...events: readonly AdmissibleEvent[]): Promise<AdmissionAnswer[]> {
    const answers: AdmissionAnswer[] = [];
    for (const event of events) answers.push(await this.admit(event));
    return answers;
  }

  async claim(change: Partial<ClaimRequest> = {}): Promise<Claim[]> {
    return [...(await this.look(change)).claims];
  }

  /** Looks for work as a worker does: what was claimed, and what was put aside instead. */
  async look(change: Partial<ClaimRequest> = {}): Promise<{ claims: readonly Claim[]; parked: readonly Parked[] }> {
    const all = { limit: 100, room: ALL_ROOM, coalesce: () => 20, widest: 20, rules: () => NO_RULES };
    const request: ClaimRequest = { owner: this.owner, ...all, ...change };
    return (await this.database.transaction((tx) => claimDeliveries(tx, request))) ?? { claims: [], parked: [] };
  }

  /** The one claim that there is to make. */
  async claimOne(change: Partial<ClaimRequest> = {}): Promise<Claim> {
    const [claim, ...others] = await this.claim(change);
    if (!claim || others.length > 0) throw new Error(`expected one claim, got ${claim ? 1 + others.length : 0}`);
    return claim;
  }

  async endAll(ends: readonly ClaimEnd[], policy: RetryPolicy = POLICY): Promise<readonly EndResult[]> {
    return (await this.database.transaction((tx) => endClaims(tx, ends, policy, undefined, conversationGone))).results;
  }

  async finish(claim: Claim): Promise<EndResult | undefined> {
    const [result] = await this.endAll([done(claim)]);
    return result;
  }

  async fail(claim: Claim, onDead: 'stall' | 'skip' = 'stall'): Promise<void> {
    await this.endAll([{ claim, how: 'failed', failure: 'it broke', onDead, turn: { ...SAID, state: 'failed', error: 'it broke' } }]);
  }

  async interrupt(claim: Claim): Promise<void> {
    await this.endAll([{ claim, how: 'interrupted', failure: 'lost', turn: { ...SAID, state: 'interrupted', error: 'lost' } }]);
  }

  rows<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    return this.database.transaction((tx) => tx.all<Row>(sql, values));
  }

  change(sql: string, ...values: readonly Value[]): Promise<number> {
    return this.database.transaction((tx) => tx.run(sql, values));
  }

  deliveries(conversation: string): Promise<DeliveryRow[]> {
    return this.rows('select * from deliveries where conversation = ? order by sequence', conversation);
  }

  async outcomes(conversation: string): Promise<string[]> {
    return (await this.deliveries(conversation)).map(({ kind, outcome }) => `${kind} ${outcome ?? 'open'}`);
  }

  async queue(conversation: string): Promise<QueueRow> {
    const [row] = await this.rows<QueueRow>('select * from queues where conversation = ?', conversation);
    if (!row) throw new Error(`no queue of ${conversation}`);
    return row;
  }

  async conversation(
    id: string,
  ): Promise<{ state: string; reason: string | null; revision: string | null; session: string | null; title: string | null }> {
    const [row] = await this.rows<{
      state: string;
      reason: string | null;
      revision: string | null;
      session: string | null;
      title: string | null;
    }>('select state, reason, revision, session, title from conversations where id = ?', id);
    if (!row) throw new Error(`no conversation ${id}`);
    return row;
  }

  async count(table: string): Promise<number> {
    const [row] = await this.rows<{ count: number }>(`select count(*) as count from ${table}`);
    return row?.count ?? 0;
  }

  /** A head that waits for its next attempt need not be waited for. */
  async makeDue(conversation: string): Promise<void> {
    await this.change("update deliveries set due_at = 1 where conversation = ? and due_at is not null and state = 'pending'", conversation);
    await this.change('update queues set ready_at = 1 where conversation = ? and ready_at is not null', conversation);
  }

  /** What collects need not be waited for. */
  async makeQuiet(conversation: string): Promise<void> {
    await this.change('update queues set quiet_until = 1 where conversation = ? and quiet_until is not null', conversation);
    await this.change('update queues set ready_at = 1 where conversation = ? and ready_at is not null', conversation);
  }

  /** Another one of these on the same store, with other routes. */
  with(...routes: readonly Route[]): Core {
    return new Core(this.database, this.test, this.owner, routes.length === 0 ? [route()] : routes);
  }

  /** Another one whose providers can be asked how things are. */
  asking(...routes: readonly Route[]): Core {
    return new Core(this.database, this.test, this.owner, routes, true);
  }

  /** Another one whose channels can show that a message was taken. */
  talking(...routes: readonly Route[]): Core {
    return new Core(this.database, this.test, this.owner, routes.length === 0 ? [route()] : routes, false, true);
  }

  /** Another one with automations. */
  listening(listeners: Listeners, ...routes: readonly Route[]): Core {
    return new Core(this.database, this.test, this.owner, routes, false, false, listeners);
  }

  /** As another process: connections and a lease of its own. A SQLite file has one server, so there the connection is the same. */
  async another(...routes: readonly Route[]): Promise<{ core: Core; close: () => Promise<void> }> {
    const isShared = this.database.dialect.name === 'sqlite';
    const database = isShared ? this.database : await this.test.open();
    const owner = await database.transaction((tx) => enlist(tx, replica('second', { pid: 4712 }), 600_000));
    const core = new Core(database, this.test, owner, routes.length === 0 ? [route()] : routes);
    return { core, close: async () => (isShared ? undefined : database.close()) };
  }
}

export function done(claim: Claim): ClaimEnd {
  return { claim, how: 'completed', outcome: 'done', reason: null, turn: { ...SAID, state: 'done', result: 'ok' } };
}

const LEDGER = [
  'run_logs',
  'runs',
  'sandboxes',
  'automation_versions',
  'webhooks',
  'automations',
  'errands',
  'early_messages',
  'control_bindings',
  'approvals',
  'tasks',
  'effect_candidates',
  'effects',
  'leases',
  'cursors',
  'gaps',
  'jobs',
  'verdicts',
  'spendings',
  'transcripts',
  'turns',
  'notes',
  'deliveries',
  'decisions',
  'receipt_repeats',
  'receipt_conflicts',
  'kept_payloads',
  'kept_events',
  'early_changes',
  'notices',
  'purges',
  'sweeps',
  'idempotency_keys',
  'audit',
  'receipts',
  'queues',
  'conversations',
  'subjects',
];

export async function clearLedger(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    for (const table of LEDGER) await tx.run(`delete from ${table}`);
  });
}

/** A suite on each database. What every test leaves behind is checked against the rules of the store, and then cleared. */
export function eachCore(title: string, suite: (open: (...routes: readonly Route[]) => Core) => void): void {
  eachDatabase(title, (make) => {
    let shared: Core;
    let end: () => Promise<void>;

    beforeAll(async () => {
      const { database, test, close } = await migrated(make);
      end = close;
      shared = new Core(database, test, await database.transaction((tx) => enlist(tx, replica('first'), 600_000)), []);
    });

    // First: what the suite stops after each test is stopped before anything is cleared.
    suite((...routes) => shared.with(...routes));

    afterEach(async () => {
      const broken = await brokenRules(shared.database);
      await clearLedger(shared.database);
      if (broken.length > 0) throw new Error(`the store is unsound:\n${broken.join('\n')}`);
    });

    afterAll(() => end());
  });
}

/** The only delivery that an answer names. */
export function delivered(answer: AdmissionAnswer): { conversation: string; delivery: string; sequence: number } {
  const [delivery] = answer.deliveries;
  if (!delivery) throw new Error(`no delivery: ${answer.disposition} ${answer.reason}`);
  return delivery;
}
