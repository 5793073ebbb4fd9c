import { expect } from '@jest/globals';
import { brokenRules } from '../../src/chaos/invariants.js';
import type { Database } from '../../src/database/database.js';

export { brokenRules };

export async function expectSound(database: Database): Promise<void> {
  expect(await brokenRules(database)).toEqual([]);
}
