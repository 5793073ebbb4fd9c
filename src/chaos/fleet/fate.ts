import type { Seeded } from '../../testing/host/seeded.js';
import { POINTS, type Point } from '../child/points.js';

/** What is to happen to one incarnation of a server. */
export type Fate =
  /** Killed when it comes to the point for the n-th time; at the latest after a while, wherever it is. */
  | { readonly kind: 'point'; readonly point: Point; readonly nth: number; readonly atTheLatestMs: number }
  /** Killed so long after its process began, wherever it is: also while it starts. */
  | { readonly kind: 'random'; readonly afterMs: number }
  /** Told to stop, as a deployment does. */
  | { readonly kind: 'told to stop'; readonly afterMs: number }
  /** Stopped by SIGSTOP, and let go on. */
  | { readonly kind: 'paused'; readonly afterMs: number; readonly forMs: number };

const SHARES = { point: 0.55, random: 0.25, toldToStop: 0.1 };
const PATIENCE_MS = 6000;
const LONGEST_LIFE_MS = 4000;

/** Fates without end: every named point comes up once before any does again. */
export function* fates(chance: Seeded, leaseMs: number): Generator<Fate, never, undefined> {
  const [first] = POINTS.filter(({ reached }) => reached === 'at the first start');
  if (first && chance.isTrueFor(0.5)) yield { kind: 'point', point: first, nth: 1, atTheLatestMs: PATIENCE_MS };
  let points: Point[] = [];
  for (;;) {
    const drawn = chance.next();
    const afterMs = chance.between(100, LONGEST_LIFE_MS);
    if (drawn < SHARES.point) {
      if (points.length === 0) points = chance.shuffled(POINTS.filter(({ reached }) => reached !== 'at the first start'));
      const point = points.pop();
      if (point) yield { kind: 'point', point, nth: nthOf(point, chance), atTheLatestMs: PATIENCE_MS };
    } else if (drawn < SHARES.point + SHARES.random) yield { kind: 'random', afterMs };
    else if (drawn < SHARES.point + SHARES.random + SHARES.toldToStop) yield { kind: 'told to stop', afterMs };
    else
      yield { kind: 'paused', afterMs, forMs: chance.isTrueFor(0.7) ? leaseMs + chance.between(500, 2500) : chance.between(100, leaseMs) };
  }
}

/** Every named point once, at the first time. */
export function* eachPointOnce(points: readonly Point[], atTheLatestMs: number): Generator<Fate, void, undefined> {
  for (const point of points) yield { kind: 'point', point, nth: 1, atTheLatestMs };
}

function nthOf({ reached }: Point, chance: Seeded): number {
  return reached === 'often' ? 1 + Math.floor(chance.next() ** 2 * 40) : chance.between(1, 2);
}
