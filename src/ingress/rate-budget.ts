import { Injectable } from '@nestjs/common';
import type { EventSource } from './event-source.js';
import { RateLimited } from './ingress-errors.js';

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * A token bucket for each source. Only an authentic event takes a token, so that nobody without the secret can use a budget up.
 * There are as many buckets as sources that have verified something, which configuration bounds.
 */
@Injectable()
export class RateBudget {
  private readonly buckets = new Map<string, Bucket>();

  /** Takes one token, or throws `RateLimited` with the time until there is one. `nowMs` is a monotonic time. */
  spend({ connection, rate }: EventSource, nowMs: number = performance.now()): void {
    if (rate === null) return;
    const key = `${connection.org}/${connection.name}`;
    const bucket = this.buckets.get(key) ?? { tokens: rate.burst, filledAtMs: nowMs };
    this.buckets.set(key, bucket);
    bucket.tokens = Math.min(rate.burst, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1000) * rate.perSecond);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < 1) throw new RateLimited((1 - bucket.tokens) / rate.perSecond);
    bucket.tokens -= 1;
  }
}
