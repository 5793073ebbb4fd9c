import type { Database } from '../database/database.js';
import type { Tx } from '../database/tx.js';
import { insertAudit } from './audit/audits.js';
import { pendingAudit } from './audit/pending-audit.js';

/** The transaction that does what was asked for, with its line in the audit log. */
export async function audited<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const audit = pendingAudit();
  if (audit === null) return database.transaction(work);
  const result = await database.transaction(async (tx) => {
    const done = await work(tx);
    await insertAudit(tx, audit.entry);
    return done;
  });
  audit.isStored = true;
  return result;
}
