import { describe, expect, it } from '@jest/globals';
import { RateLimited } from '../../src/ingress/ingress-errors.js';
import { RateBudget } from '../../src/ingress/rate-budget.js';
import { githubTransport, source } from './outside.js';

describe('ING-5 the token bucket', () => {
  const limited = source('gh', githubTransport, { rate: { perSecond: 10, burst: 2 } });

  it('fills with time up to the burst, and says when the next token comes', () => {
    const budget = new RateBudget();
    const spend = (nowMs: number) => budget.spend(limited, nowMs);
    spend(0);
    spend(0);
    expect(() => spend(0)).toThrow(RateLimited);
    expect(() => spend(50)).toThrow(expect.objectContaining({ retryAfterSeconds: expect.closeTo(0.05, 5) }));
    spend(100);
    spend(60_000);
    spend(60_000);
    expect(() => spend(60_000)).toThrow(RateLimited);
  });

  it('has no limit where it is off', () => {
    const budget = new RateBudget();
    const free = source('gh', githubTransport);
    expect(() => Array.from({ length: 10_000 }, () => budget.spend(free, 0))).not.toThrow();
  });
});
