import { Logger } from '@nestjs/common';
import { describeLease, type Lease } from '../../core/leases/leases.js';
import { Superseded } from '../../core/leases/superseded.js';
import type { Database } from '../../database/database.js';
import { ConfigFault, ProviderFault } from '../../plugin/index.js';
import type { EventAdmission } from '../event-source.js';
import { type Attempt, pause } from './attempt.js';
import { Backoff, type BackoffTimes } from './backoff.js';
import { OwnedAdmission } from './owned-admission.js';
import { runBackfill } from './run-backfill.js';
import { runPoll } from './run-poll.js';
import { runStream } from './run-stream.js';
import { type SourceState, source } from './source.js';
import type { SourceSpec } from './source-spec.js';

export interface SourcePorts {
  readonly database: Database;
  readonly admission: EventAdmission;
  readonly backoff: BackoffTimes;
}

const LONGEST_DETAIL = 1000;

/** One source while it is this replica's: connects it, again and again, and says how it stands. Its failures are nobody else's. */
export class SupervisedSource {
  private readonly log = new Logger('Sources');
  private readonly stopping = new AbortController();
  private readonly backoff: Backoff;
  private state: SourceState = 'idle';
  private detail: string | null = null;
  private notice: string | undefined;
  private telling: Promise<void> = Promise.resolve();
  readonly ended: Promise<void>;

  constructor(
    readonly spec: SourceSpec,
    /** Null: every replica has a connection of its own. */
    readonly lease: Lease | null,
    private readonly ports: SourcePorts,
  ) {
    this.backoff = new Backoff(ports.backoff);
    this.ended = this.run();
  }

  get standing(): { readonly state: SourceState; readonly detail: string | null } {
    return { state: this.state, detail: this.detail };
  }

  /** Closes it; `ended` resolves when it is closed. */
  stop(): void {
    this.stopping.abort(new Superseded(this.spec.name));
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    this.become('take');
    while (!signal.aborted) {
      const failure = await this.attempt().then(
        () => new ProviderFault('the connection ended', 'transient'),
        (error: unknown) => error,
      );
      if (signal.aborted || failure instanceof Superseded) break;
      if (failure instanceof ConfigFault) {
        this.become('refuse', failure.message);
        this.log.error(`${this.spec.name}: ${failure.message}; it stays stopped until it is restarted`);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        break;
      }
      await this.recover(failure);
    }
    this.become('leave');
    await this.telling;
  }

  private async recover(failure: unknown): Promise<void> {
    const pauseMs = this.backoff.next(failure instanceof ProviderFault ? (failure.retryAfterMs ?? 0) : 0);
    const message = failure instanceof Error ? failure.message : String(failure);
    this.become('fail', message);
    this.log.warn(`${this.spec.name}: ${message}; tried again in ${Math.round(pauseMs / 1000)} s`);
    await pause(pauseMs, this.stopping.signal);
    if (!this.stopping.signal.aborted) this.become('retry');
  }

  private async attempt(): Promise<void> {
    const { spec, lease, ports, stopping } = this;
    const attempt: Attempt = {
      database: ports.database,
      admission: new OwnedAdmission(ports.admission, spec, lease),
      signal: stopping.signal,
      connected: (notice) => {
        this.backoff.reset();
        if (this.state !== 'connected' || this.notice !== notice) this.become('connect', notice);
        this.notice = notice;
      },
    };
    switch (spec.kind) {
      case 'stream':
        return runStream(spec, attempt);
      case 'poll':
        return runPoll(spec, attempt);
      case 'backfill':
        return runBackfill(spec, attempt);
    }
  }

  private become(event: Parameters<typeof source.next>[1], detail: string | null = null): void {
    this.state = source.next(this.state, event);
    this.detail = detail?.slice(0, LONGEST_DETAIL).toWellFormed().replaceAll('\0', '') ?? null;
    this.tell();
  }

  /** For people who ask any replica. A store that is down is told of elsewhere; a lease that is lost is found by whoever stores next. */
  private tell(): void {
    const { lease, state, detail } = this;
    if (lease === null || state === 'idle') return;
    this.telling = this.telling
      .then(() => this.ports.database.transaction((tx) => describeLease(tx, lease, state, detail)))
      .then((isOurs) => {
        if (!isOurs) this.stop();
      })
      .catch(() => undefined);
  }
}
