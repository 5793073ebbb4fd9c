import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { backoff, type RetryPolicy } from '../../core/deliveries/end-claims.js';
import { anyLive, type ClaimedRun, claimRuns, nextRunAt } from '../../core/runs/claim-runs.js';
import type { RunDesk } from '../../core/runs/run-desk.js';
import { openRun, requeueRun } from '../../core/runs/start-run.js';
import { adoptRuns, leaveRuns } from '../../core/runs/take-over.js';
import type { Signals } from '../../core/signals.js';
import { storable } from '../../core/storable.js';
import { isBlocked, type NextDue, pauseUntil, WorkLoop } from '../../core/work-loop.js';
import type { Database } from '../../database/database.js';
import { RunFailure } from './run-failure.js';
import type { RunWay, WayOf } from './ways.js';

export interface DispatchOptions {
  /** Runs of this replica that live at one time; 0: it begins none. */
  readonly concurrency: number;
  /** How long a start may take before the run's own time is counted. */
  readonly readyMs: number;
  readonly retry: RetryPolicy;
  /** How often to look without having been told. */
  readonly pollMs: number;
}

const DETAIL_CHARACTERS = 4 * 1024;
const STORE_PAUSE_MS = 500;
const STOPPING = 'the server is stopping';

/** Begins runs as long as there is room, ends those that are at rest or out of time, and watches on what lost replicas had begun. */
export class RunDispatcher {
  private readonly logger = new Logger('Runs');
  private readonly begun = new Map<string, AbortController>();
  private readonly loop = new WorkLoop({
    look: () => this.look(),
    waitMs: () => this.waitMs(),
    onFailure: (error) => this.logger.warn(`cannot look for runs: ${error.message}`),
  });
  private next: NextDue | null = null;
  /** Some run lives: a turn that ends may end it. */
  private hasLive = true;

  constructor(
    private readonly database: Database,
    /** Under whom runs are claimed; null: none may be now. */
    private readonly owner: () => number | null,
    private readonly signals: Signals,
    private readonly desk: RunDesk,
    private readonly wayOf: WayOf,
    private readonly options: DispatchOptions,
  ) {
    signals.on('runs', () => this.loop.wake());
    signals.on('activity', () => {
      if (this.hasLive) this.loop.wake();
    });
    signals.on('ended', (run) => this.begun.get(run)?.abort(new Error('the run has ended')));
    signals.on('lost', () => this.abandon('the lease ran out'));
  }

  start(): void {
    this.loop.start();
  }

  /** Begins nothing more, leaves what is under way to others, and resolves when nothing runs here. */
  async stop(): Promise<void> {
    this.abandon(STOPPING);
    await this.loop.stop();
    const owner = this.owner();
    if (owner === null) return;
    // Where the store is out of reach they are taken over once the lease has run out, and the rest has an end of its own to come to.
    await this.database
      .transaction((tx) => leaveRuns(tx, owner))
      .catch((error: Error) => this.logger.warn(`the runs of this replica are not given up: ${error.message}`));
  }

  private abandon(why: string): void {
    for (const each of this.begun.values()) each.abort(new Error(why));
  }

  private async look(): Promise<(() => Promise<void>)[]> {
    this.next = null;
    const owner = this.owner();
    if (owner === null) return [];
    await this.desk.watch();
    const { concurrency: cap, readyMs } = this.options;
    const { claimed, adopted } = await this.database.transaction(async (tx) => {
      const taken = cap === 0 ? [] : ((await claimRuns(tx, { owner, cap, readyMs })) ?? []);
      this.next = taken.length === 0 ? await nextRunAt(tx) : null;
      this.hasLive = taken.length > 0 || (await anyLive(tx));
      return { claimed: taken, adopted: cap === 0 ? [] : await adoptRuns(tx, owner, cap) };
    });
    return [
      ...claimed.map((run) => () => this.drive(run, (way, signal) => this.open(run, way, signal))),
      ...adopted.map((run) => () => this.drive(run, async (way, signal) => way.watch?.(run, signal))),
    ];
  }

  private async drive(run: ClaimedRun, work: (way: RunWay, signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    this.begun.set(run.id, stop);
    try {
      await work(this.wayOf(run), stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) await this.store(() => this.fail(run, error as Error));
    } finally {
      if (this.begun.get(run.id) === stop) this.begun.delete(run.id);
    }
  }

  private async open(run: ClaimedRun, way: RunWay, signal: AbortSignal): Promise<void> {
    const how = await way.open(run, signal);
    if (how === 'open') {
      const isOpen = await this.database.transaction((tx) => openRun(tx, run, run.spec.timeout_ms));
      if (!isOpen) return;
      this.signals.emit('ready');
      this.signals.emit('activity', run.conversation);
    }
    await way.watch?.(run, signal);
  }

  /** What may work another time is tried again, before anything of it had begun; the rest is over. */
  private async fail(run: ClaimedRun, error: Error): Promise<void> {
    const detail = storable(error.message, DETAIL_CHARACTERS);
    const attempts = run.attempt + 1;
    const { retry } = this.options;
    if (!(error instanceof RunFailure) && attempts < retry.maxAttempts) {
      const pauseMs = backoff(retry, attempts);
      const isAgain = await this.database.transaction((tx) => requeueRun(tx, run, detail, pauseMs));
      if (isAgain) return this.logger.warn(`run ${run.id} could not begin (attempt ${attempts}), it is tried again: ${detail}`);
    }
    const end = error instanceof RunFailure ? error : { code: 'start_failed', how: 'fail', isPermanent: false };
    const { how, code, isPermanent } = end as Pick<RunFailure, 'how' | 'code' | 'isPermanent'>;
    const ended = await this.desk.end({ run: run.id, how, token: run.token, error: code, detail, isPermanent });
    if (ended !== null) this.logger.warn(`run ${run.id} of automation ${run.automation} could not begin: ${detail}`);
  }

  /** A store that is down delays it, as long as this process lives. */
  private async store(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        this.logger.warn(`cannot write what became of a run yet: ${(error as Error).message}`);
        if (this.loop.isStopping || this.owner() === null) return;
        await delay(STORE_PAUSE_MS);
      }
    }
  }

  private waitMs(): number {
    return pauseUntil(isBlocked(this.next) ? null : this.next, this.options.pollMs);
  }
}
