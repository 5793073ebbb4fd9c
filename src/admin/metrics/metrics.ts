import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Disposition } from '../../core/admission/event.js';
import type { ApprovalLoad } from '../../core/approvals/approvals.js';
import type { ErrandLoad } from '../../core/controls/errands.js';
import type { Load } from '../../core/deliveries/read-load.js';
import type { HeldLoad } from '../../core/effects/candidates.js';
import type { JobLoad } from '../../core/jobs/jobs.js';
import type { RunLoad } from '../../core/runs/list-runs.js';

const ACCEPT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The numbers of this process, and of the database as it was read last. `docs/operating.md` explains them. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  private readonly databaseUp = this.gauge(
    'throughline_database_up',
    '1 when the database answered the last time that it was asked, else 0.',
  );
  private readonly open = this.gauge('throughline_deliveries_open', 'Deliveries that are not completed.');
  private readonly headAge = this.gauge(
    'throughline_head_age_seconds',
    'How long the longest waiting head that may be claimed has waited.',
  );
  private readonly retrying = this.gauge('throughline_deliveries_retrying', 'Heads that failed and wait for their next attempt.');
  private readonly held = this.gauge('throughline_conversations_held', 'Conversations whose head an effect may own.');
  private readonly heldAge = this.gauge(
    'throughline_held_age_seconds',
    'How long the event has waited that has waited longest for a write of ours to be decided.',
  );
  private readonly unknownEffects = this.gauge('throughline_effects_unknown', 'Writes of ours at providers whose outcome is unknown.');
  private readonly stalled = this.gauge('throughline_conversations_stalled', 'Conversations that wait for an operator.');
  private readonly unconfigured = this.gauge(
    'throughline_conversations_unconfigured',
    'Conversations whose workspace or runtime is not in the configuration.',
  );
  private readonly looping = this.gauge('throughline_conversations_looping', 'Conversations whose machines answered each other too often.');
  private readonly spent = this.gauge('throughline_conversations_spent', 'Conversations that have reached a limit of what turns may cost.');
  private readonly paused = this.gauge('throughline_conversations_paused', 'Conversations that a person has paused.');
  private readonly running = this.gauge('throughline_turns_running', 'Claims that are being worked on, by all replicas.');
  private readonly jobsWaiting = this.gauge('throughline_jobs_waiting', 'What ended conversations left to do and is not done yet.');
  private readonly jobsFailing = this.gauge('throughline_jobs_failing', 'Those of them that failed and wait for their next attempt.');
  private readonly approvalsPending = this.gauge(
    'throughline_approvals_pending',
    'What agents want to do and nobody has decided about yet.',
  );
  private readonly approvalsApproved = this.gauge('throughline_approvals_approved', 'What was approved and is not done yet.');
  private readonly errandsWaiting = this.gauge('throughline_errands_waiting', 'What is to be done at channels and is not done yet.');
  private readonly errandsFailing = this.gauge('throughline_errands_failing', 'Those of them that failed and wait for their next attempt.');
  private readonly errandAge = this.gauge('throughline_errand_age_seconds', 'How long the oldest of them is there.');
  private readonly controlsFaulty = this.gauge('throughline_controls_faulty', 'Threads that something is wrong with.');
  private readonly runsQueued = this.gauge('throughline_runs_queued', 'Runs of automations that wait to be begun.');
  private readonly runsLive = this.gauge('throughline_runs_live', 'Runs that are begun and have not ended.');
  private readonly clockOffset = this.gauge(
    'throughline_database_clock_offset_seconds',
    "How far the database's clock is ahead of this machine's.",
  );
  private readonly sources = new Gauge({
    name: 'throughline_sources',
    help: 'Streams, pollers and backfills that replicas keep up, by how they stand.',
    labelNames: ['state'],
    registers: [this.registry],
  });
  private readonly acceptSeconds = new Histogram({
    name: 'throughline_accept_seconds',
    help: 'From the verified event to its commit.',
    buckets: ACCEPT_BUCKETS,
    registers: [this.registry],
  });
  private readonly admissions = this.counter(
    'throughline_admissions_total',
    'Events and messages that were stored, by what became of them.',
    ['disposition'],
  );
  private readonly duplicates = this.counter('throughline_duplicates_total', 'Events that were there before.');
  private readonly conflicts = this.counter(
    'throughline_conflicts_total',
    'Events that came under the id of another one, with other content.',
  );
  private readonly pruned = this.counter('throughline_pruned_total', 'Rows that outlived their retention, by kind.', ['kind']);
  private readonly failures = this.counter('throughline_admission_failures_total', 'Events that could not be stored.');
  private readonly leaseExpiries = this.counter('throughline_lease_expiries_total', 'Claims taken back from replicas that were lost.');

  private readonly alerts = this.counter(
    'throughline_alerts_total',
    'What has failed so often outside of turns that somebody should look, by what it is.',
    ['about'],
  );
  private readonly putAside = this.counter(
    'throughline_conversations_put_aside_total',
    'How often a conversation was put aside for a loop or for its costs.',
    ['reason'],
  );

  private readonly runsFailed = this.counter('throughline_runs_failed_total', 'Runs that failed, by why.', ['reason']);

  /** An event was answered after this time. */
  admitted(answer: { readonly disposition: Disposition; readonly duplicate: boolean }, seconds: number): void {
    this.acceptSeconds.observe(seconds);
    if (answer.duplicate) this.duplicates.inc();
    else this.admissions.inc({ disposition: answer.disposition });
  }

  admissionFailed(): void {
    this.failures.inc();
  }

  wasParked(kind: 'looping' | 'spent'): void {
    this.putAside.inc({ reason: kind });
  }

  conflicted(count: number): void {
    this.conflicts.inc(count);
  }

  prunedOf(kind: string, count: number): void {
    this.pruned.inc({ kind }, count);
  }

  leasesExpired(count: number): void {
    this.leaseExpiries.inc(count);
  }

  alerted(about: string): void {
    this.alerts.inc({ about });
  }

  runFailed(reason: string): void {
    this.runsFailed.inc({ reason });
  }

  showRuns({ queued, live }: RunLoad): void {
    this.runsQueued.set(queued);
    this.runsLive.set(live);
  }

  showJobs({ waiting, failing }: JobLoad): void {
    this.jobsWaiting.set(waiting);
    this.jobsFailing.set(failing);
  }

  showErrands({ waiting, failing, oldest_ms, faults }: ErrandLoad): void {
    this.errandsWaiting.set(waiting);
    this.errandsFailing.set(failing);
    this.errandAge.set(Math.max(0, oldest_ms ?? 0) / 1000);
    this.controlsFaulty.set(faults);
  }

  showApprovals({ pending, approved }: ApprovalLoad): void {
    this.approvalsPending.set(pending);
    this.approvalsApproved.set(approved);
  }

  /** What the database says now. */
  show(load: Load, retrying: number, effects: HeldLoad, localNow: number): void {
    this.databaseUp.set(1);
    this.open.set(load.open);
    this.headAge.set(ageSeconds(load.oldest_ready_at, load.now));
    this.heldAge.set(ageSeconds(effects.oldest_held_at, load.now));
    this.unknownEffects.set(effects.unknown);
    this.retrying.set(retrying);
    this.held.set(load.held);
    this.stalled.set(load.stalled);
    this.unconfigured.set(load.unconfigured);
    this.looping.set(load.looping);
    this.spent.set(load.spent);
    this.paused.set(load.paused);
    this.running.set(load.running);
    this.clockOffset.set((load.now - localNow) / 1000);
  }

  showSources(counts: readonly { readonly state: string; readonly count: number }[]): void {
    this.sources.reset();
    for (const { state, count } of counts) this.sources.set({ state }, count);
  }

  /** The database says nothing: what it said before is not to be taken for what is. */
  showNothing(): void {
    this.databaseUp.set(0);
    const waiting = [this.held, this.heldAge, this.unknownEffects, this.stalled, this.unconfigured, this.looping, this.spent, this.paused];
    const told = [this.open, this.headAge, this.retrying, ...waiting, this.running, this.clockOffset, this.jobsWaiting, this.jobsFailing];
    told.push(this.approvalsPending, this.approvalsApproved, this.runsQueued, this.runsLive);
    told.push(this.errandsWaiting, this.errandsFailing, this.errandAge, this.controlsFaulty);
    for (const gauge of told) gauge.set(Number.NaN);
    this.sources.reset();
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] });
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}

function ageSeconds(since: number | null, now: number): number {
  return since === null ? 0 : Math.max(0, now - since) / 1000;
}
