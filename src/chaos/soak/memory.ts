import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export interface Sample {
  /** Deliveries that were done by then. */
  readonly done: number;
  readonly atMs: number;
  readonly rssMb: number;
}

/** What a second half may add: caches settle, a leak goes on. */
const MOST_GROWTH = 0.1;

/** Resident memory of a process, in MiB. */
export function residentMb(pid: number): number {
  const status = `/proc/${pid}/status`;
  const kb = existsSync(status)
    ? /^VmRSS:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kb) / 1024;
}

/** How much more memory the last fifth of the deliveries took than the third, in the middle. Negative: less. */
export function growth(samples: readonly Sample[]): number {
  const most = samples.at(-1)?.done ?? 0;
  const fifth = (n: number) =>
    samples.filter(({ done }) => done > (most * (n - 1)) / 5 && done <= (most * n) / 5).map(({ rssMb }) => rssMb);
  return median(fifth(5)) / median(fifth(3)) - 1;
}

export function isFlat(samples: readonly Sample[]): boolean {
  return growth(samples) <= MOST_GROWTH;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
