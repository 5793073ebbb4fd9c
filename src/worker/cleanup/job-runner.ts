import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { conversationsForTurns, type TurnConversation } from '../../core/conversations/conversations.js';
import { insertNotes } from '../../core/conversations/notes.js';
import { backoff, type RetryPolicy } from '../../core/deliveries/end-claims.js';
import { claimJobs } from '../../core/jobs/claim-jobs.js';
import { failJob, finishJob, type Job, nextJobAt } from '../../core/jobs/jobs.js';
import type { Signals } from '../../core/signals.js';
import { storable } from '../../core/storable.js';
import { isBlocked, type NextDue, pauseUntil, WorkLoop } from '../../core/work-loop.js';
import type { Database } from '../../database/database.js';
import { clock } from '../../database/tx.js';
import { within } from '../within.js';
import type { JobKinds } from './job-kinds.js';

export interface JobOptions {
  /** Jobs at one time. */
  readonly concurrency: number;
  /** How often to look without having been told. */
  readonly pollMs: number;
  /** How long one job may take. */
  readonly callMs: number;
  readonly retry: RetryPolicy;
}

const FAILURE_CHARACTERS = 4 * 1024;
const STORE_PAUSE_MS = 500;

interface Begun {
  readonly job: Job;
  readonly conversation: TurnConversation;
  readonly owner: number;
}

/** Does what ends of conversations leave to do, beside the turns of this replica and on as many replicas as there are. */
export class JobRunner {
  private readonly logger = new Logger('Cleanup');
  private readonly loop = new WorkLoop({
    look: (running) => this.look(running),
    waitMs: () => this.waitMs(),
    onFailure: (error) => this.logger.warn(`cannot look for jobs: ${error.message}`),
  });
  /** Something is due that cannot begin yet: the conversation is being worked on, or a step before it is; or so it may be. */
  private isBlocked = true;
  /** When the next one is due, by the look that found none to begin. */
  private next: NextDue | null = null;

  constructor(
    private readonly database: Database,
    /** Under whom jobs are claimed; null: none may be now. */
    private readonly owner: () => number | null,
    private readonly signals: Signals,
    private readonly kinds: JobKinds,
    private readonly options: JobOptions,
  ) {
    signals.on('jobs', () => this.loop.wake());
    // The end of a claim may be what it waits for; there are too many of them to look at each.
    signals.on('ready', () => {
      if (this.isBlocked) this.loop.wake();
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Begins nothing more and resolves when what was begun has ended. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async look(running: number): Promise<(() => Promise<void>)[]> {
    this.isBlocked = true;
    const begun = await this.begin(this.options.concurrency - running);
    return begun.map((each) => () => this.run(each));
  }

  private async begin(limit: number): Promise<Begun[]> {
    this.next = null;
    const owner = this.owner();
    if (owner === null || limit <= 0) return [];
    const request = { owner, kinds: Object.keys(this.kinds), limit };
    return this.database.transaction(async (tx) => {
      const jobs = (await claimJobs(tx, request)) ?? [];
      this.next = jobs.length === 0 ? await nextJobAt(tx) : null;
      const rows = await conversationsForTurns(tx, [...new Set(jobs.map(({ conversation }) => conversation))]);
      const conversations = new Map(rows.map((row) => [row.id, row]));
      return jobs.flatMap((job) => {
        const conversation = conversations.get(job.conversation);
        return conversation ? [{ job, conversation, owner }] : [];
      });
    });
  }

  private async run({ job, conversation, owner }: Begun): Promise<void> {
    const work = this.kinds[job.kind];
    try {
      if (work === undefined) throw new Error(`nobody here knows how to ${job.kind}`);
      const result = await within(this.options.callMs, new AbortController().signal, () => work(conversation));
      await this.store(() => this.database.transaction((tx) => finishJob(tx, job, owner, storable(result, FAILURE_CHARACTERS))));
    } catch (error) {
      await this.store(() => this.fail(job, owner, error as Error));
    }
    this.signals.emit('activity', job.conversation);
  }

  private async fail(job: Job, owner: number, error: Error): Promise<void> {
    const failures = job.attempts + 1;
    const failure = storable(error.message, FAILURE_CHARACTERS);
    const isAlarming = failures === this.options.retry.maxAttempts;
    await this.database.transaction(async (tx) => {
      const isOurs = await failJob(tx, job, owner, failure, backoff(this.options.retry, failures));
      if (!isOurs || !isAlarming) return;
      const about = { conversation: job.conversation, at: await clock(tx), by: 'worker', receipt: null, sequence: null };
      await insertNotes(tx, [{ ...about, kind: 'alert', reason: `${job.kind}: ${failure}` }]);
    });
    const line = `${job.conversation}: ${job.kind} failed (attempt ${failures}, tried again until it succeeds): ${failure}`;
    if (!isAlarming) return void this.logger.warn(line);
    this.logger.error(line);
    this.signals.emit('alert', 'cleanup');
  }

  /** A store that is down delays the end of a job, as long as this process lives. */
  private async store(write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        return void (await write());
      } catch (error) {
        this.logger.warn(`cannot end a job yet: ${(error as Error).message}`);
        if (this.loop.isStopping || this.owner() === null) return;
        await delay(STORE_PAUSE_MS);
      }
    }
  }

  private waitMs(): number {
    this.isBlocked = isBlocked(this.next);
    return pauseUntil(this.next, this.options.pollMs);
  }
}
