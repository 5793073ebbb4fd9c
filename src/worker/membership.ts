import { Logger } from '@nestjs/common';
import { claimsOf } from '../core/deliveries/queues.js';
import { type Machine, type RecoverySummary, recover } from '../core/recovery/recover.js';
import { enlist, type ReplicaIdentity, release, renew } from '../core/replicas/replicas.js';
import type { Signals } from '../core/signals.js';
import type { Database } from '../database/database.js';
import { clock } from '../database/tx.js';

export interface LeaseTimes {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
}

const WARN_OFFSET_MS = 30_000;

/** This process among the replicas: one lease for all that it claims, renewed as long as it lives. */
export class Membership {
  private readonly logger = new Logger('Replica');
  private id: number | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isBeating = false;
  private lastRenewal = 0;
  private offset = 0;

  constructor(
    private readonly database: Database,
    private readonly self: ReplicaIdentity,
    private readonly times: LeaseTimes,
    private readonly machine: Machine,
    private readonly signals: Signals,
  ) {}

  /** The owner under which claims are made; null: none may be made now. */
  get owner(): number | null {
    return this.id;
  }

  /** How far the database's clock is ahead of ours. */
  offsetMs(): number {
    return this.offset;
  }

  /** Takes a lease, and takes over what dead replicas left. */
  async join(): Promise<RecoverySummary> {
    const began = performance.now();
    const id = await this.database.transaction((tx) => enlist(tx, this.self, this.times.leaseMs));
    this.lastRenewal = began;
    const summary = await recover(this.database, { id, ...this.self }, this.machine);
    this.id = id;
    this.timer ??= setInterval(() => void this.beat(), this.times.heartbeatMs);
    await this.measureClock();
    return summary;
  }

  /** Lets go of the lease, so that nobody has to wait for its end. Claims must have been ended before. */
  async leave(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    const { id } = this;
    this.id = null;
    if (id !== null) await this.database.transaction((tx) => release(tx, id));
  }

  private async beat(): Promise<void> {
    if (this.isBeating) return;
    this.isBeating = true;
    try {
      if (this.id === null) await this.rejoin();
      else await this.renewLease(this.id);
    } catch (error) {
      this.logger.warn(`heartbeat failed: ${(error as Error).message}`);
      // Unheard of for a whole lease, the others will have taken the claims; a SQLite file has no others.
      if (this.database.dialect.name !== 'sqlite' && performance.now() - this.lastRenewal > this.times.leaseMs) this.lose();
    } finally {
      this.isBeating = false;
    }
  }

  private async renewLease(id: number): Promise<void> {
    const began = performance.now();
    const { isOurs, claims } = await this.database.transaction(async (tx) => ({
      isOurs: await renew(tx, id, this.times.leaseMs),
      claims: await claimsOf(tx, id),
    }));
    if (!isOurs) return this.lose();
    this.lastRenewal = began;
    this.signals.emit('claims', new Map(claims.map(({ conversation, token }) => [conversation, token])), began);
    await this.measureClock();
    if (this.database.dialect.name === 'sqlite') return;
    const { releasedClaims } = await recover(this.database, { id, ...this.self }, this.machine);
    if (releasedClaims === 0) return;
    this.signals.emit('expired', releasedClaims);
    this.signals.emit('ready');
  }

  private lose(): void {
    if (this.id === null) return;
    this.logger.error('this replica was not heard of for a whole lease; its turns are stopped and others take over');
    this.id = null;
    this.signals.emit('claims', new Map(), performance.now());
  }

  private async rejoin(): Promise<void> {
    await this.join();
    this.signals.emit('ready');
  }

  private async measureClock(): Promise<void> {
    const before = Date.now();
    const now = await this.database.transaction((tx) => clock(tx));
    this.offset = Math.round(now - (before + Date.now()) / 2);
    if (Math.abs(this.offset) > WARN_OFFSET_MS)
      this.logger.warn(`this machine's clock differs from the database's by ${this.offset} ms; set both by NTP`);
  }
}
