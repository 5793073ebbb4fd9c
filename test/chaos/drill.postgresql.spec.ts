import { afterEach, expect, it } from '@jest/globals';
import { emptyDatabase, type TestDatabase } from '../databases.js';
import { drill, expectSpotless } from './drill.js';

// A file for each database, so that both drills run at the same time.
let database: TestDatabase | null = null;

afterEach(() => database?.drop());

it('REC-3 REC-1 ACC-1 FIF-2 TRN-3 B46 loses, repeats and disorders nothing when it is killed at each named point, on postgresql', async () => {
  database = await emptyDatabase('postgresql');
  const outcome = await drill(database);
  expectSpotless(database, outcome);
  expect(outcome.evidence.sent.length).toBeGreaterThan(100);
}, 900_000);
