import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Claim } from '../core/deliveries/claim.js';
import type { ClaimEnd, RetryPolicy } from '../core/deliveries/end-claims.js';
import { claimsAmong, type NextReady } from '../core/deliveries/queues.js';
import { Nap } from '../core/nap.js';
import type { Signals } from '../core/signals.js';
import { forgetProcess } from '../core/turns/turns.js';
import type { Database } from '../database/database.js';
import { ClaimEnds } from './claim-ends.js';
import { type ClaimedWork, claimWork, type Work } from './claim-work.js';
import { failurePost } from './controls/turn-posts.js';
import { LiveTurn } from './live-turn.js';
import type { Membership } from './membership.js';
import { Pace } from './pace.js';
import { type RoomLimits, TurnRoom } from './room.js';
import { type WorkContext, workOn } from './work-on.js';

export interface WorkerOptions extends RoomLimits {
  /** Turns at one time; 0: this process only accepts. */
  readonly concurrency: number;
  readonly retry: RetryPolicy;
  /** How long running turns may take to end by themselves when the process stops. */
  readonly graceMs: number;
  /** How often to look without having been told, while there is work. */
  readonly pollMs: number;
  /** And when there has been none for a while. Default: as often. */
  readonly idlePollMs?: number;
}

interface Driven {
  readonly turn: LiveTurn;
  readonly ended: Promise<void>;
}

const GATHER_MS = 2;
const TAKEN_AWAY = 'the claim was taken away';
const STOPPING = 'the server is stopping';

/** Claims heads of conversations as long as it has room, drives their turns, and ends the claims. */
export class Worker {
  private readonly logger = new Logger('Worker');
  private readonly running = new Map<string, Driven>();
  private readonly ends: ClaimEnds;
  private readonly room: TurnRoom;
  private readonly pace: Pace;
  /** Conversations that were steered since the last claim was begun, and were not here then. */
  private readonly toldEarly = new Set<string>();
  private isStopping = false;
  private readonly nap = new Nap();
  /** There was more than there was room for: the end of a turn makes some. */
  private isStarved = false;
  private next: NextReady | null = null;
  private lastCheck = 0;
  private loop: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly membership: Membership,
    private readonly signals: Signals,
    private readonly context: WorkContext,
    private readonly options: WorkerOptions,
  ) {
    this.room = new TurnRoom(options, context.table);
    this.pace = new Pace(options.pollMs, options.idlePollMs ?? options.pollMs);
    this.ends = new ClaimEnds(database, signals, options.retry, context.table, () => this.isStopping);
    signals.on('ready', () => this.wake());
    signals.on('lost', () => this.stopTurns([...this.running.keys()]));
    signals.on('fenced', (conversations) => this.stopTurns(conversations));
    signals.on('steered', (conversations) => this.follow(conversations));
    signals.on('suspected', (conversations) => this.follow(conversations));
    signals.on('approvals', (conversations) => this.follow(conversations));
  }

  /** Turns that are driven; those at rest are not. */
  get turnsRunning(): number {
    return [...this.running.values()].filter(({ turn }) => !turn.isResting).length;
  }

  /** A turn of the conversation is driven here. */
  worksOn(conversation: string): boolean {
    return this.running.has(conversation);
  }

  /** True: nothing more can be claimed here now. */
  get isFull(): boolean {
    return this.isStopping || this.membership.owner === null || this.turnsRunning >= this.options.concurrency;
  }

  start(): void {
    if (this.options.concurrency > 0) this.loop ??= this.work();
  }

  wake(): void {
    this.nap.wake();
  }

  /** Claims nothing more, lets turns end within the grace, then stops them and leaves them to be tried again; those at rest at once. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.loop;
    const turns = [...this.running.values()];
    for (const { turn } of turns) if (turn.isResting) turn.stop.abort(new Error(STOPPING));
    const allEnded = Promise.all(turns.map(({ ended }) => ended));
    const patience = new AbortController();
    await Promise.race([allEnded, delay(this.options.graceMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
    for (const { turn } of this.running.values()) turn.stop.abort(new Error(STOPPING));
    await allEnded;
  }

  private async work(): Promise<void> {
    while (!this.isStopping) {
      this.nap.prepare();
      await this.checkClaims().catch((error: Error) => this.logger.warn(`cannot check claims: ${error.message}`));
      const claimed = await this.claim().catch((error: Error) => this.logger.warn(`cannot claim: ${error.message}`));
      if (claimed || this.running.size > 0) this.pace.busy();
      if (claimed) continue;
      await this.nap.rest(() => this.waitMs());
      // Claims cost by their number: what becomes ready while turns run is gathered for a moment.
      if (this.running.size > 0 && !this.isStopping) await delay(GATHER_MS);
    }
  }

  /** True: there may be more, and there is room. */
  private async claim(): Promise<boolean> {
    const free = this.options.concurrency - this.turnsRunning;
    const { owner } = this.membership;
    this.next = null;
    this.isStarved = free <= 0;
    if (free <= 0 || owner === null) return false;
    const { table } = this.context;
    const room = this.room.offer();
    const rules = table.rules.bind(table);
    const request = { owner, limit: free, room, coalesce: table.coalesce.bind(table), widest: table.widest, rules };
    this.toldEarly.clear();
    const claimed = await this.database.transaction((tx) => claimWork(tx, request), 'by_index');
    if (claimed === null) return false;
    this.next = claimed.next;
    const isShort = claimed.work.length === free || room.wasFull();
    // What has no room is not even looked for.
    this.isStarved = isShort || room.full.workspaces.length + room.full.orgs.length > 0;
    this.announce(claimed);
    for (const each of claimed.work) this.begin(each);
    this.follow([...this.toldEarly]);
    // Behind those of a workspace without room, or those that were put aside, may be others.
    const isMore = claimed.isMore || (claimed.work.length > 0 && isShort);
    return isMore && this.turnsRunning < this.options.concurrency;
  }

  private announce({ parked }: ClaimedWork): void {
    for (const { conversation, parked: kind, reason } of parked) {
      this.logger.warn(`${conversation}: ${reason}`);
      this.signals.emit('parked', kind);
      this.signals.emit('activity', conversation);
    }
  }

  /** Another replica may have changed claims of ours, for an operator or an event: its turn learns of it within a poll. */
  private async checkClaims(): Promise<void> {
    if (performance.now() < this.lastCheck + this.options.pollMs) return;
    this.lastCheck = performance.now();
    await this.lookAt([...this.running.keys()]);
  }

  private follow(conversations: readonly string[]): void {
    // The claim of one that is not here may be being made just now.
    for (const id of conversations) if (!this.running.has(id)) this.toldEarly.add(id);
    const ours = conversations.filter((id) => this.running.has(id));
    this.lookAt(ours).catch((error: Error) => this.logger.warn(`cannot look at claims, the next poll does: ${error.message}`));
  }

  private async lookAt(conversations: readonly string[]): Promise<void> {
    const { owner } = this.membership;
    if (owner === null || conversations.length === 0) return;
    const asOf = performance.now();
    const claims = await this.database.transaction((tx) => claimsAmong(tx, owner, conversations), 'by_index');
    const states = new Map(claims.map((claim) => [claim.conversation, claim]));
    for (const id of conversations) {
      const turn = this.running.get(id)?.turn;
      if (!turn || turn.begunAt >= asOf) continue;
      const state = states.get(id);
      if (state?.token === turn.claim.token) turn.follow(state);
      else turn.stop.abort(new Error(TAKEN_AWAY));
    }
  }

  private stopTurns(conversations: readonly string[]): void {
    for (const conversation of conversations) this.running.get(conversation)?.turn.stop.abort(new Error(TAKEN_AWAY));
  }

  private begin(work: Work): void {
    const { id, org, workspace } = work.conversation;
    const turn = new LiveTurn(
      this.database,
      work.claim,
      (isResting) => {
        if (isResting) this.room.leave(org, workspace);
        else this.room.enter(org, workspace);
        this.wake();
        this.signals.emit('activity', id);
      },
      this.context.permissions,
    );
    this.room.enter(org, workspace);
    // A turn that was fenced may still be ending: two never run beside each other.
    const before = this.running.get(id);
    before?.turn.stop.abort(new Error(TAKEN_AWAY));
    const ended = (before?.ended ?? Promise.resolve())
      .then(() => this.drive(work, turn))
      .finally(() => {
        if (!turn.isResting) this.room.leave(org, workspace);
        if (this.running.get(id)?.turn === turn) this.running.delete(id);
        if (this.isStarved) this.wake();
      });
    this.running.set(id, { turn, ended });
    this.signals.emit('activity', id);
  }

  private async drive(work: Work, turn: LiveTurn): Promise<void> {
    const { conversation } = work.claim;
    const end = await this.begun(work, turn);
    await turn.close();
    const result = end === null ? 'ended' : await this.ends.submit(this.shown(end, work), turn.stop.signal);
    if (result === 'stale') await this.leave(work.claim);
    else if (end !== null && end.how !== 'completed') this.ends.report(end);
    this.signals.emit('activity', conversation);
  }

  /** Whoever watches the conversation is told of an end that is no success, too. */
  private shown(end: ClaimEnd, { conversation: { id, org, workspace } }: Work): ClaimEnd {
    const placement = this.context.table.placement(org, workspace);
    const notice = placement && failurePost(end, this.options.retry);
    if (placement === null || notice === null) return end;
    const place = end.shown?.place ?? { conversation: id, org, workspace, placement };
    return { ...end, shown: { place, posts: [...(end.shown?.posts ?? []), notice] } };
  }

  /** Nothing that is not foreseen leaves a claim behind that nobody works on. */
  private async begun(work: Work, turn: LiveTurn): Promise<ClaimEnd | null> {
    try {
      return await workOn(work, this.context, turn);
    } catch (error) {
      return { claim: turn.claim, how: 'interrupted', failure: (error as Error).message, turn: null };
    }
  }

  /** What worked under a claim that is somebody else's by now is gone; whoever ends the conversation need not look for it. */
  private async leave(claim: Claim): Promise<void> {
    const { conversation, token } = claim;
    this.logger.warn(`${conversation}: the claim (token ${token}) was taken away meanwhile; nothing was changed`);
    await this.database.transaction((tx) => forgetProcess(tx, claim)).catch((error: Error) => this.logger.warn(error.message));
  }

  /** Until something may be claimable, or the next look. */
  private waitMs(): number {
    const poll = this.pace.next();
    const { next } = this;
    if (next === null || next.at === null || next.at <= next.now) return poll;
    return Math.min(poll, next.at - next.now);
  }
}
