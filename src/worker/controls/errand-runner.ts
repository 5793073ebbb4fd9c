import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { claimErrands } from '../../core/controls/claim-errands.js';
import { type ErrandRow, nextErrandAt } from '../../core/controls/errands.js';
import type { Signals } from '../../core/signals.js';
import { type NextDue, pauseUntil, WorkLoop } from '../../core/work-loop.js';
import type { Database } from '../../database/database.js';
import type { Channels } from './channels.js';
import { ErrandEnds } from './errand-ends.js';
import { type Failed, failErrand } from './errand-faults.js';
import { ErrandWork } from './errand-work.js';

export interface ErrandOptions {
  /** Errands at one time. */
  readonly concurrency: number;
  /** How often to look without having been told. */
  readonly pollMs: number;
  /** How long one call of a channel may take. */
  readonly callMs: number;
  /** How long what was begun may take to end when the process stops. */
  readonly graceMs: number;
}

export interface ErrandParts {
  readonly channels: Channels;
  readonly carrier: Carrier;
  /** Decides about messages that waited for a thread to be made. */
  readonly admitEarly: () => Promise<void>;
}

const STORE_PAUSE_MS = 500;
/** One that does not answer must not have all the room. */
const PER_CHANNEL = 8;

/** Carries out what a person wants of the host; it ends the errand in the transaction that does it. */
export interface Carrier {
  carryOut(errand: ErrandRow, owner: number): Promise<void>;
}

/** Does what is to be done at channels, beside the turns of this replica and on as many replicas as there are. */
export class ErrandRunner {
  private readonly logger = new Logger('Control');
  private readonly stopped = new AbortController();
  private readonly work: ErrandWork;
  private readonly ends: ErrandEnds;
  private readonly loop = new WorkLoop({
    look: (running) => this.look(running),
    waitMs: () => pauseUntil(this.next, this.options.pollMs),
    onFailure: (error) => this.logger.warn(`cannot look for errands: ${error.message}`),
  });
  private next: NextDue | null = null;
  /** How many of each channel's errands are in hand here, as `org/connection`. */
  private readonly inHand = new Map<string, number>();
  /** Until when channels asked not to be asked, as `org/connection`, by `performance.now()`. */
  private readonly resting = new Map<string, number>();

  constructor(
    private readonly database: Database,
    /** Under whom errands are taken in hand; null: none may be now. */
    private readonly owner: () => number | null,
    private readonly signals: Signals,
    private readonly parts: ErrandParts,
    private readonly options: ErrandOptions,
  ) {
    this.ends = new ErrandEnds(database);
    this.work = new ErrandWork(database, parts.channels, options.callMs, this.stopped.signal);
    signals.on('errands', () => this.loop.wake());
    // An end leaves a thread to archive.
    signals.on('jobs', () => this.loop.wake());
  }

  start(): void {
    this.loop.start();
  }

  /** Begins nothing more; what a channel does not answer within the grace is looked for by whoever comes next. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.stopped.abort(new Error('the server is stopping')), this.options.graceMs);
    await this.loop.stop();
    clearTimeout(timer);
  }

  private async look(running: number): Promise<(() => Promise<void>)[]> {
    this.next = null;
    const owner = this.owner();
    const limit = Math.min(PER_CHANNEL, this.options.concurrency - running);
    if (owner === null || limit <= 0) return [];
    await this.parts.admitEarly();
    const begun = await this.database.transaction(async (tx) => {
      const errands = (await claimErrands(tx, { owner, limit, busy: this.busy() })) ?? [];
      this.next = errands.length === 0 ? await nextErrandAt(tx) : null;
      return errands;
    });
    return begun.map((errand) => () => this.run(errand, owner));
  }

  private busy(): string[] {
    const now = performance.now();
    for (const [channel, until] of this.resting) if (until <= now) this.resting.delete(channel);
    const full = [...this.inHand].flatMap(([channel, count]) => (count >= PER_CHANNEL ? [channel] : []));
    return [...this.resting.keys(), ...full];
  }

  private async run(errand: ErrandRow, owner: number): Promise<void> {
    const channel = `${errand.org}/${errand.connection}`;
    this.inHand.set(channel, (this.inHand.get(channel) ?? 0) + 1);
    try {
      if (errand.kind === 'action') await this.parts.carrier.carryOut(errand, owner);
      else await this.do(errand, owner);
    } catch (error) {
      await this.fail(errand, owner, error as Error);
    } finally {
      this.inHand.set(channel, (this.inHand.get(channel) ?? 1) - 1);
    }
    if (errand.conversation !== null) this.signals.emit('activity', errand.conversation);
  }

  private async do(errand: ErrandRow, owner: number): Promise<void> {
    const result = await this.work.do(errand);
    await this.store(() => this.ends.end(errand, owner, result));
  }

  private async fail(errand: ErrandRow, owner: number, error: Error): Promise<void> {
    await this.store(async () => this.tell(errand, await this.database.transaction((tx) => failErrand(tx, errand, owner, error))));
  }

  private tell({ org, connection, conversation, kind, attempts }: ErrandRow, { failure, state, isAlarming, channelPauseMs }: Failed): void {
    if (channelPauseMs !== null) this.resting.set(`${org}/${connection}`, performance.now() + channelPauseMs);
    const line = `${org}/${connection}: cannot ${kind}${conversation === null ? '' : ` for ${conversation}`} (attempt ${attempts + 1}): ${state ?? 'failed'}: ${failure}`;
    if (!isAlarming) return void this.logger.warn(line);
    this.logger.error(line);
    this.signals.emit('alert', 'control');
  }

  /** A store that is down delays the end of an errand, as long as this process lives. */
  private async store(write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        return void (await write());
      } catch (error) {
        this.logger.warn(`cannot keep what came of an errand yet: ${(error as Error).message}`);
        if (this.loop.isStopping || this.owner() === null) return;
        await delay(STORE_PAUSE_MS);
      }
    }
  }
}
