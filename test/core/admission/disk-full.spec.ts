import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Admissions } from '../../../src/core/admission/admissions.js';
import { StoreUnavailable } from '../../../src/core/admission/store-unavailable.js';
import { Signals } from '../../../src/core/signals.js';
import type { Database } from '../../../src/database/database.js';
import { migrateUp } from '../../../src/database/migrate.js';
import { openDatabase } from '../../../src/database/open-database.js';
import { comment, route } from '../builders.js';
import { brokenRules } from '../invariants.js';

let folder: string;
let database: Database;
let admissions: Admissions;

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-full-'));
  database = await openDatabase({ url: `sqlite:${path.join(folder, 'full.db')}` });
  await migrateUp(database);
  admissions = new Admissions(database, [route()], new Signals());
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const pages = (limit: number) => database.transaction((tx) => tx.all(`pragma max_page_count = ${limit}`));
const count = async () => (await database.transaction((tx) => tx.all<{ n: number }>('select count(*) as n from receipts')))[0]?.n;

it('ING-4 ACC-13 B2 a full disk refuses events whole, and what came before and comes after is intact', async () => {
  await admissions.admit(comment('T-0'));
  await pages(1);
  const large = (i: number) => ({ ...comment(`T-${i}`), body: Buffer.alloc(200_000, `${i}`) });
  const results = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => admissions.admit(large(i + 1))));
  expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  for (const result of results) expect(result).toMatchObject({ reason: expect.any(StoreUnavailable) });
  expect(await count()).toBe(1);
  await pages(1_000_000);
  const again = await Promise.all(Array.from({ length: 30 }, (_, i) => admissions.admit(large(i + 1))));
  expect(again.map(({ duplicate }) => duplicate)).toEqual(again.map(() => false));
  expect(await count()).toBe(31);
  expect(await brokenRules(database)).toEqual([]);
});
