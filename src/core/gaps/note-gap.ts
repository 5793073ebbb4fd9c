import type { Database } from '../../database/database.js';
import { openGap, searchLastReceipt } from './gaps.js';

/** From the last event that is here on, some may be missing. A source that never had one has no history that was missed. */
export async function noteGap(database: Database, org: string, source: string): Promise<void> {
  for (let below: number | null = null; ; ) {
    const step = await database.transaction(async (tx) => {
      const search = await searchLastReceipt(tx, org, source, below);
      if (search.at !== null) await openGap(tx, org, source, search.at);
      return search;
    });
    if (step.at !== null || step.below === null) return;
    below = step.below;
  }
}
