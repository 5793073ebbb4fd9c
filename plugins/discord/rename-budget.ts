import { ChannelFault } from 'throughline/plugin';

const RENAMES = 2;
const WINDOW_MS = 10 * 60_000;

/**
 * Discord takes two new titles of a thread in ten minutes. It says so nowhere, least of all in its headers: the third is made to wait for
 * up to ten minutes. Whoever keeps the wanted title asks again later, with the last one.
 */
export class RenameBudget {
  private readonly renamed = new Map<string, number[]>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Throws `ChannelFault` (`rate_limited`) with the time to wait when there is nothing left. */
  check(thread: string): void {
    const [oldest, ...others] = this.recent(thread);
    if (oldest === undefined || others.length + 1 < RENAMES) return;
    const retryAfterMs = Math.ceil(oldest + WINDOW_MS - this.now());
    throw new ChannelFault('rate_limited', 'Discord takes two new titles of a thread in ten minutes', retryAfterMs);
  }

  spend(thread: string): void {
    this.renamed.set(thread, [...this.recent(thread), this.now()]);
    for (const each of this.renamed.keys()) if (this.recent(each).length === 0) this.renamed.delete(each);
  }

  private recent(thread: string): number[] {
    return (this.renamed.get(thread) ?? []).filter((at) => at + WINDOW_MS > this.now());
  }
}
