const GROWTH = 1.5;

/** How long to wait until the next look without having been told: short while there is work, longer the longer there is none. */
export class Pace {
  private waitMs: number;

  constructor(
    private readonly shortestMs: number,
    private readonly longestMs: number,
  ) {
    this.waitMs = shortestMs;
  }

  busy(): void {
    this.waitMs = this.shortestMs;
  }

  /** Replicas that started together do not go on looking together. */
  next(): number {
    const now = this.waitMs;
    this.waitMs = Math.min(this.longestMs, now * GROWTH);
    return now * (0.8 + Math.random() * 0.4);
  }
}
