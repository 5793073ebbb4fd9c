import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { NotFound } from '../../plugin/index.js';
import { insertAudit } from '../audit/audits.js';
import { pendingAudit } from '../audit/pending-audit.js';
import { deleteKept, nextKept } from '../kept-events/kept-events.js';
import type { Route } from '../routing/route.js';
import type { Admissions, Replay } from './admissions.js';
import { PayloadUnavailable } from './payload-unavailable.js';

type Keeper = Pick<Route, 'org' | 'name'>;

export interface AdmittedKept {
  /** Events that were decided about again. */
  readonly admitted: number;
  /** Events of which too little is left for that. */
  readonly lost: number;
  /** The route keeps nothing any more, or somebody else is at it. */
  readonly isDone: boolean;
}

/** Few enough that their payloads fit into memory together. */
const BATCH = 50;

/** Another process has admitted them meanwhile. */
class AdmittedElsewhere extends Error {}

/**
 * Admits the next events that a route has kept, in the order of their arrival. That they are kept no longer commits with their deliveries,
 * so that of any number of processes one admits each of them, and all of them in one order.
 */
export async function admitKept(database: Database, admissions: Admissions, route: Keeper, by: string): Promise<AdmittedKept> {
  const receipts = await database.transaction((tx) => nextKept(tx, route, BATCH));
  const isDone = receipts.length < BATCH;
  try {
    if (receipts.length > 0) await admitAll(admissions, route, by, receipts);
    return { admitted: receipts.length, lost: 0, isDone };
  } catch (error) {
    if (error instanceof AdmittedElsewhere) return { admitted: 0, lost: 0, isDone: true };
    if (!isGone(error)) throw error;
    return { ...(await admitEach(database, admissions, route, by, receipts)), isDone };
  }
}

async function admitAll(admissions: Admissions, route: Keeper, by: string, receipts: readonly number[]): Promise<void> {
  const replays = receipts.map((receipt): Replay => ({ org: route.org, receipt, by, routes: [route.name], force: false }));
  // After, because whoever forgets receipts locks them first as well.
  const audit = pendingAudit();
  const after = async (tx: Tx) => {
    if ((await deleteKept(tx, route, receipts)) < receipts.length) throw new AdmittedElsewhere();
    if (audit !== null) await insertAudit(tx, audit.entry);
  };
  await admissions.replayTogether(replays, { before: async () => undefined, after });
  if (audit !== null) audit.isStored = true;
}

/** One of them cannot be read any more, and must not hold up the others. */
async function admitEach(
  database: Database,
  admissions: Admissions,
  route: Keeper,
  by: string,
  receipts: readonly number[],
): Promise<Pick<AdmittedKept, 'admitted' | 'lost'>> {
  let admitted = 0;
  let lost = 0;
  for (const receipt of receipts)
    try {
      await admitAll(admissions, route, by, [receipt]);
      admitted += 1;
    } catch (error) {
      if (error instanceof AdmittedElsewhere) continue;
      if (!isGone(error)) throw error;
      lost += await database.transaction((tx) => deleteKept(tx, route, [receipt]));
    }
  return { admitted, lost };
}

function isGone(error: unknown): boolean {
  return error instanceof PayloadUnavailable || error instanceof NotFound;
}
