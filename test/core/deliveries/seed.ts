import { admitEvents } from '../../../src/core/admission/admit-events.js';
import { planAdmission } from '../../../src/core/admission/plan-admission.js';
import { matchRoutes } from '../../../src/core/routing/match-route.js';
import type { Database } from '../../../src/database/database.js';
import { comment, route } from '../builders.js';

const BATCH = 1000;

/** So many messages, as many of each subject one after the other, admitted in groups larger than requests ever make. */
export async function seed(database: Database, messages: number, subjects: number): Promise<void> {
  const routes = [route()];
  for (let from = 0; from < messages; from += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, messages - from) }, (_, i) => comment(`S-${Math.floor((from + i) / (messages / subjects))}`, `message ${from + i}`));
    const admissions = events.map((event) => planAdmission(event, matchRoutes(routes, event)));
    await database.transaction((tx) => admitEvents(tx, admissions));
  }
}
