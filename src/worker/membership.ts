import { Logger } from '@nestjs/common';
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
  private timers: NodeJS.Timeout[] = [];
  private watchdog: NodeJS.Timeout | null = null;
  private beating: Promise<void> | null = null;
  private sweeping: Promise<void> | null = null;
  private hasFailedRepairs = false;
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

  /** Renews the lease, and reads the database's clock, now instead of at the next heartbeat. */
  async refresh(): Promise<void> {
    await this.beating;
    this.beat();
    await this.beating;
  }

  /** Takes a lease and keeps it from then on, then takes over what dead replicas left. */
  async join(): Promise<RecoverySummary> {
    await this.enlist();
    // Two timers: a repair that waits for a lock must never cost the living their lease.
    this.timers = [setInterval(() => this.beat(), this.times.heartbeatMs), setInterval(() => this.sweep(), this.times.heartbeatMs)];
    return this.repair();
  }

  /** Lets go of the lease, so that nobody has to wait for its end. Claims must have been ended before. */
  async leave(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
    await Promise.all([this.beating, this.sweeping]);
    this.disarm();
    const { id } = this;
    this.id = null;
    if (id !== null) await this.database.transaction((tx) => release(tx, id));
  }

  private async enlist(): Promise<void> {
    const began = performance.now();
    const { id, now } = await this.database.transaction(async (tx) => ({
      id: await enlist(tx, this.self, this.times.leaseMs),
      now: await clock(tx),
    }));
    this.id = id;
    this.renewed(began, now);
  }

  private beat(): void {
    this.beating ??= this.keepLease()
      .catch((error: Error) => this.logger.warn(`heartbeat failed: ${error.message}`))
      .finally(() => {
        this.beating = null;
      });
  }

  private async keepLease(): Promise<void> {
    const { id } = this;
    if (id === null) {
      await this.enlist();
      this.signals.emit('ready');
      return;
    }
    const began = performance.now();
    // Where all connections wait for locks, the lease goes on.
    const { isOurs, now } = await this.database.beside(async (tx) => ({
      isOurs: await renew(tx, id, this.times.leaseMs),
      now: await clock(tx),
    }));
    if (isOurs) this.renewed(began, now);
    else this.lose();
  }

  /** Counted from before the question: the database's lease never ends before ours. */
  private renewed(began: number, now: number): void {
    this.measureClock(now, performance.now() - began);
    // One process owns a SQLite file: there is nobody who could take over.
    if (this.database.dialect.name === 'sqlite') return;
    this.disarm();
    this.watchdog = setTimeout(() => this.lose(), Math.max(0, this.times.leaseMs - (performance.now() - began)));
  }

  private disarm(): void {
    if (this.watchdog) clearTimeout(this.watchdog);
    this.watchdog = null;
  }

  private lose(): void {
    this.disarm();
    if (this.id === null) return;
    this.logger.error('this replica was not heard of for a whole lease; its turns are stopped and others take over');
    this.id = null;
    this.signals.emit('lost');
  }

  private sweep(): void {
    // Nobody else can die on a SQLite file; only what could not be repaired at the start is tried again.
    if (this.database.dialect.name === 'sqlite' && !this.hasFailedRepairs) return;
    this.sweeping ??= this.repair()
      .then(({ repaired }) => {
        if (repaired.jobs > 0) this.signals.emit('jobs');
        if (repaired.claims === 0) return;
        this.signals.emit('expired', repaired.claims);
        this.signals.emit('ready');
      })
      .catch((error: Error) => this.logger.warn(`cannot look for dead replicas: ${error.message}`))
      .finally(() => {
        this.sweeping = null;
      });
  }

  private async repair(): Promise<RecoverySummary> {
    const id = this.id ?? 0;
    const summary = await recover(this.database, { id, ...this.self }, this.machine);
    this.hasFailedRepairs = summary.failed.length > 0;
    for (const { what, error } of summary.failed)
      this.logger.error(`${what}: cannot be repaired after the end of its process, the next sweep tries again: ${error.message}`);
    return summary;
  }

  private measureClock(now: number, tookMs: number): void {
    this.offset = Math.round(now - (Date.now() - tookMs / 2));
    if (Math.abs(this.offset) > WARN_OFFSET_MS)
      this.logger.warn(`this machine's clock differs from the database's by ${this.offset} ms; set both by NTP`);
  }
}
