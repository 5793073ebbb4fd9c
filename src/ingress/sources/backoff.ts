export interface BackoffTimes {
  readonly firstMs: number;
  readonly maxMs: number;
}

export const PROVIDER_BACKOFF: BackoffTimes = { firstMs: 5_000, maxMs: 300_000 };

/** Pauses that double from the first to the longest, each up to a fifth shorter or longer, so that many sources do not come back at once. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly times: BackoffTimes,
    private readonly random: () => number = Math.random,
  ) {}

  reset(): void {
    this.failures = 0;
  }

  /** In milliseconds; no shorter than what the provider asks for. */
  next(atLeastMs = 0): number {
    const { firstMs, maxMs } = this.times;
    const pause = Math.min(maxMs, firstMs * 2 ** this.failures);
    this.failures += 1;
    return Math.max(atLeastMs, Math.min(maxMs, Math.round(pause * (0.8 + this.random() * 0.4))));
  }
}
