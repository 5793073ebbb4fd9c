import type { Moment, Stage } from './stage.js';

/** Where several stories wait for each other, so that one kill is in the middle of the same moment of each. */
export class Cuts {
  private arrived = 0;
  private next = Promise.withResolvers<void>();
  /** How often it was killed. */
  kills = 0;

  constructor(
    private readonly stories: number,
    private readonly kill: () => Promise<void>,
  ) {}

  /** The cut of one story; all calls of a provider that are to be cut are held from now on. */
  of(stage: Stage): (moment: Moment, isThere?: () => Promise<void>) => Promise<void> {
    const moments = ['thread', 'output', 'question', 'write', 'end'] as const;
    const holds = new Map<Moment, Promise<void> | null>(moments.map((moment) => [moment, stage.hold(moment)]));
    return async (moment, isThere) => {
      const hold = holds.get(moment);
      // Without a call at its provider this moment has an instant of its own, or is cut with those of others.
      await (hold ? Promise.race([hold, this.next.promise]) : isThere?.());
      await this.here();
    };
  }

  /** One story has failed: the others need not wait for it. */
  fail(error: unknown): void {
    this.next.promise.catch(() => undefined);
    this.next.reject(error);
  }

  private here(): Promise<void> {
    const { promise, resolve, reject } = this.next;
    this.arrived += 1;
    if (this.arrived === this.stories) {
      this.arrived = 0;
      this.kills += 1;
      this.next = Promise.withResolvers();
      this.kill().then(resolve, reject);
    }
    return promise;
  }
}
