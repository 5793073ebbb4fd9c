import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { GroupCommit } from '../core/admission/group-commit.js';
import type { Claim } from '../core/deliveries/claim.js';
import { type ClaimEnd, type EndResult, endClaims, isAlarming, type RetryPolicy } from '../core/deliveries/end-claims.js';
import { claimsAmong, nextReadyAt } from '../core/deliveries/queues.js';
import type { Signals } from '../core/signals.js';
import { forgetProcess } from '../core/turns/turns.js';
import type { Database } from '../database/database.js';
import { claimWork, type Work } from './claim-work.js';
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

interface Running {
  readonly token: number;
  /** By `performance.now()`. */
  readonly begunAt: number;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

const STORE_PAUSE_MS = 500;
const TAKEN_AWAY = 'the claim was taken away';

/** Claims heads of conversations as long as it has room, drives their turns, and ends the claims. */
export class Worker {
  private readonly logger = new Logger('Worker');
  private readonly running = new Map<string, Running>();
  private readonly ends: GroupCommit<ClaimEnd, EndResult>;
  private readonly room: TurnRoom;
  private readonly pace: Pace;
  private isStopping = false;
  private wakeUp = () => {};
  private wasWoken = false;
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
    this.ends = new GroupCommit(
      (ends) => database.transaction((tx) => endClaims(tx, ends, options.retry)),
      (error) => database.dialect.fault(error) === 'invalid',
      { group: 100, waiting: Number.POSITIVE_INFINITY, onOverflow: () => new Error('unreachable: there is no limit') },
    );
    signals.on('ready', () => this.wake());
    signals.on('lost', () => this.stopTurns([...this.running.keys()]));
    signals.on('fenced', (conversations) => this.stopTurns(conversations));
    signals.on('suspected', (conversations) => {
      if (conversations.some((id) => this.running.has(id))) this.checkSoon();
    });
  }

  get turnsRunning(): number {
    return this.running.size;
  }

  /** True: nothing more can be claimed here now. */
  get isFull(): boolean {
    return this.isStopping || this.membership.owner === null || this.running.size >= this.options.concurrency;
  }

  start(): void {
    if (this.options.concurrency > 0) this.loop ??= this.work();
  }

  wake(): void {
    this.wasWoken = true;
    this.wakeUp();
  }

  /** Claims nothing more, lets turns end within the grace, then stops them and leaves them to be tried again. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.loop;
    const turns = [...this.running.values()];
    const allEnded = Promise.all(turns.map(({ ended }) => ended));
    const patience = new AbortController();
    await Promise.race([allEnded, delay(this.options.graceMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
    for (const { stop } of this.running.values()) stop.abort(new Error('the server is stopping'));
    await allEnded;
  }

  private async work(): Promise<void> {
    while (!this.isStopping) {
      this.wasWoken = false;
      await this.checkClaims().catch((error: Error) => this.logger.warn(`cannot check claims: ${error.message}`));
      const claimed = await this.claim().catch((error: Error) => this.logger.warn(`cannot claim: ${error.message}`));
      if (claimed || this.running.size > 0) this.pace.busy();
      if (!claimed) await this.rest();
    }
  }

  /** True: there may be more, and there is room. */
  private async claim(): Promise<boolean> {
    const free = this.options.concurrency - this.running.size;
    const { owner } = this.membership;
    if (free <= 0 || owner === null) return false;
    const { table } = this.context;
    const room = this.room.offer();
    const request = { owner, limit: free, room, coalesce: table.coalesce.bind(table), widest: table.widest };
    const work = await this.database.transaction((tx) => claimWork(tx, request));
    for (const each of work ?? []) this.begin(each);
    if (work === null || work.length === 0) return false;
    // Behind those of a workspace without room may be others.
    return (work.length === free || room.wasFull()) && this.running.size < this.options.concurrency;
  }

  /** Another replica may have ended a claim of ours, for an operator or an end of the subject: its turn stops within a poll. */
  private async checkClaims(): Promise<void> {
    const { owner } = this.membership;
    const asOf = performance.now();
    if (owner === null || this.running.size === 0 || asOf < this.lastCheck + this.options.pollMs) return;
    this.lastCheck = asOf;
    const claims = await this.database.transaction((tx) => claimsAmong(tx, owner, [...this.running.keys()]));
    const tokens = new Map(claims.map(({ conversation, token }) => [conversation, token]));
    const gone = [...this.running].filter(([id, { token, begunAt }]) => begunAt < asOf && tokens.get(id) !== token);
    this.stopTurns(gone.map(([id]) => id));
  }

  private checkSoon(): void {
    this.lastCheck = Number.NEGATIVE_INFINITY;
    this.wake();
  }

  private stopTurns(conversations: readonly string[]): void {
    for (const conversation of conversations) this.running.get(conversation)?.stop.abort(new Error(TAKEN_AWAY));
  }

  private begin(work: Work): void {
    const { id, org, workspace } = work.conversation;
    const stop = new AbortController();
    this.room.enter(org, workspace);
    // A turn that was fenced may still be ending: two never run beside each other.
    const before = this.running.get(id);
    before?.stop.abort(new Error(TAKEN_AWAY));
    const ended = (before?.ended ?? Promise.resolve())
      .then(() => this.drive(work, stop))
      .finally(() => {
        this.room.leave(org, workspace);
        if (this.running.get(id)?.stop === stop) this.running.delete(id);
        this.wake();
      });
    this.running.set(id, { token: work.claim.token, begunAt: performance.now(), stop, ended });
    this.signals.emit('activity', id);
  }

  private async drive(work: Work, stop: AbortController): Promise<void> {
    const { conversation } = work.claim;
    const end = await this.begun(work, stop.signal);
    const result = end === null ? 'ended' : await this.end(end, stop.signal);
    if (result === 'stale') await this.leave(work.claim);
    else if (end !== null && end.how !== 'completed') this.report(end);
    this.signals.emit('activity', conversation);
  }

  /** Nothing that is not foreseen leaves a claim behind that nobody works on. */
  private async begun(work: Work, signal: AbortSignal): Promise<ClaimEnd | null> {
    try {
      return await workOn(work, this.context, signal);
    } catch (error) {
      return { claim: work.claim, how: 'interrupted', failure: (error as Error).message, turn: null };
    }
  }

  /** What worked under a claim that is somebody else's by now is gone; whoever ends the conversation need not look for it. */
  private async leave(claim: Claim): Promise<void> {
    const { conversation, token } = claim;
    this.logger.warn(`${conversation}: the claim (token ${token}) was taken away meanwhile; nothing was changed`);
    await this.database.transaction((tx) => forgetProcess(tx, claim)).catch((error: Error) => this.logger.warn(error.message));
  }

  private report(end: Exclude<ClaimEnd, { how: 'completed' }>): void {
    const line = `${end.claim.conversation}: ${end.how}${this.prospect(end)}: ${end.failure}`;
    if (!isAlarming(end, this.options.retry)) {
      this.logger.warn(line);
      return;
    }
    this.logger.error(line);
    this.signals.emit('alert', end.claim.head.kind === 'lifecycle' ? 'lifecycle' : 'preparation');
  }

  private prospect(end: ClaimEnd): string {
    const attempt = end.claim.head.attempts + 1;
    if (end.how !== 'failed') return '';
    const isLast = attempt >= this.options.retry.maxAttempts && end.claim.head.kind !== 'lifecycle';
    return ` (attempt ${attempt} of ${this.options.retry.maxAttempts}${isLast && end.onDead === 'stall' ? '; stalled until an operator decides' : ''})`;
  }

  /** A store that is down delays the end of a turn; the claim is held as long as it is ours. */
  private async end(end: ClaimEnd, signal: AbortSignal): Promise<EndResult> {
    for (;;) {
      try {
        return await this.ends.submit(end);
      } catch (error) {
        if (this.database.dialect.fault(error) === 'invalid' && end.how !== 'interrupted') {
          this.logger.error(`the store refuses what the turn said, so it ends without it: ${(error as Error).message}`);
          return this.end({ claim: end.claim, how: 'interrupted', failure: 'the store refused what the turn said', turn: null }, signal);
        }
        this.logger.warn(`cannot end a turn yet: ${(error as Error).message}`);
        if (signal.aborted || this.isStopping) return 'stale';
        await delay(STORE_PAUSE_MS);
      }
    }
  }

  /** Until something may be claimable: told so, or a known time, or the next look. */
  private async rest(): Promise<void> {
    if (this.wasWoken || this.isStopping) return;
    const waitMs = await this.waitMs();
    if (this.wasWoken || this.isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wakeUp = () => {};
  }

  private async waitMs(): Promise<number> {
    const poll = this.pace.next();
    if (this.running.size >= this.options.concurrency) return poll;
    const next = await this.database.transaction(nextReadyAt).catch(() => null);
    if (next === null || next.at === null || next.at <= next.now) return poll;
    return Math.min(poll, next.at - next.now);
  }
}
