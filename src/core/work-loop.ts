import { Nap } from './nap.js';

/** How a loop finds what is to be done, and rests. */
export interface Looking {
  /** Takes what there is to begin; each then runs beside the others and does not reject. */
  look(running: number): Promise<readonly (() => Promise<void>)[]>;
  /** Until the next look, when nobody wakes it. */
  waitMs(): number;
  onFailure(error: Error): void;
}

/** Looks for work and begins it, again and again, until it is stopped; then what was begun is waited for. */
export class WorkLoop {
  private loop: Promise<void> | null = null;
  private readonly running = new Set<Promise<void>>();
  private readonly nap = new Nap();
  private hasStopped = false;

  constructor(private readonly looking: Looking) {}

  get isStopping(): boolean {
    return this.hasStopped;
  }

  start(): void {
    this.loop ??= this.work();
  }

  /** Begins nothing more and resolves when what was begun has ended. */
  async stop(): Promise<void> {
    this.hasStopped = true;
    this.wake();
    await this.loop;
    await Promise.all(this.running);
  }

  wake(): void {
    this.nap.wake();
  }

  private async work(): Promise<void> {
    while (!this.hasStopped) {
      this.nap.prepare();
      const begun = await this.looking.look(this.running.size).catch((error: Error) => {
        this.looking.onFailure(error);
        return [];
      });
      for (const each of begun) this.drive(each);
      if (begun.length === 0) await this.nap.rest(() => this.looking.waitMs());
    }
  }

  private drive(begun: () => Promise<void>): void {
    const done = begun().finally(() => {
      this.running.delete(done);
      // Something may have waited for it.
      this.wake();
    });
    this.running.add(done);
  }
}

/** When the next thing is due, by the database's clock. */
export interface NextDue {
  readonly now: number;
  readonly at: number | null;
}

/** True: something is due that cannot begin yet, or may be. */
export function isBlocked(next: NextDue | null): boolean {
  return next === null || (next.at !== null && next.at <= next.now);
}

/** Replicas do not look in step; what is due sooner is looked for then. */
export function pauseUntil(next: NextDue | null, pollMs: number): number {
  const poll = pollMs * (0.8 + Math.random() * 0.4);
  return next === null || next.at === null || isBlocked(next) ? poll : Math.min(poll, next.at - next.now);
}
