import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { NotFound } from '../../plugin/index.js';
import { deleteEarly, settledEarly } from '../controls/early-messages.js';
import type { Admissions } from './admissions.js';
import { PayloadUnavailable } from './payload-unavailable.js';

const BATCH = 50;
/** A channel that does not say for so long which thread it made holds up nobody else's messages; some want a sign within ten seconds. */
const MOST_MS = 5_000;

/** Another process has admitted it meanwhile. */
class AdmittedElsewhere extends Error {}

/**
 * Decides about messages that came before it was known whose thread they are in, in the order of their arrival: they belong to the thread's
 * conversation, or else to the routes. That one waits no longer commits with what is decided, so that one process admits it.
 */
export async function admitEarly(database: Database, admissions: Pick<Admissions, 'replayTogether'>, mostMs = MOST_MS): Promise<void> {
  const settled = await database.transaction((tx) => settledEarly(tx, { mostMs, limit: BATCH }));
  for (const { org, receipt } of settled) {
    const after = async (tx: Tx) => {
      if ((await deleteEarly(tx, [receipt])) === 0) throw new AdmittedElsewhere();
    };
    try {
      const decided = { org, receipt, by: 'accept', routes: null, force: false, isFirst: true };
      await admissions.replayTogether([decided], { before: async () => undefined, after });
    } catch (error) {
      if (error instanceof AdmittedElsewhere) continue;
      if (!(error instanceof PayloadUnavailable || error instanceof NotFound)) throw error;
      await database.transaction((tx) => deleteEarly(tx, [receipt]));
    }
  }
}
