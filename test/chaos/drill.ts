import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from '@jest/globals';
import { Chaos, type Outcome } from '../../src/chaos/chaos.js';
import { POINTS, type Point } from '../../src/chaos/child/points.js';
import { eachPointOnce } from '../../src/chaos/fleet/fate.js';
import { isSpotless } from '../../src/chaos/judge/judge.js';
import type { TestDatabase } from '../databases.js';
import { build } from '../demo/child.js';

/** For a machine that has much else to do: a point is reached within a second. */
const AT_THE_LATEST_MS = 60_000;

/** A server that is killed once at every named point, under traffic, and what is to be said of it. */
export async function drill(database: TestDatabase): Promise<Outcome> {
  await build();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-drill-'));
  const run = new Chaos({
    folder,
    store: { url: database.url, open: () => database.open(), remove: async () => undefined },
    ...{ seed: 1, leaseMs: 3000, subjects: 20, concurrency: 8, forMs: null },
    replicas: [{ name: 'one', shiftMs: 0, losesLease: database.name === 'postgresql' }],
    fates: () => eachPointOnce(pointsOn(database), AT_THE_LATEST_MS),
  });
  try {
    return await run.run(new AbortController().signal);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A commit of SQLite is never on its way: it is done when it returns. */
function pointsOn({ name }: TestDatabase): readonly Point[] {
  return POINTS.filter(({ moment }) => name === 'postgresql' || moment !== 'during commit');
}

export function expectSpotless(database: TestDatabase, { verdict, chronicle }: Outcome): void {
  const { repeated, ...faults } = verdict;
  expect(faults).toEqual({ lost: [], twice: [], outOfOrder: [], overlapping: [], stuck: [], other: [] });
  expect(isSpotless(verdict)).toBe(true);
  expect(Object.fromEntries(chronicle.counts)).toEqual(Object.fromEntries(pointsOn(database).map(({ name }) => [name, 1])));
}
