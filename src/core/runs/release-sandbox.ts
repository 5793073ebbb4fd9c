import type { Tx } from '../../database/tx.js';
import { specOfVersion } from '../automations/automations.js';
import type { RunEnd } from './run-end.js';
import type { RunRow } from './run-rows.js';

/**
 * What becomes of the sandbox of a run that has ended: one that is kept goes on and is idle from now on; what a person stopped, and what is
 * not kept, is removed by whoever looks after sandboxes.
 */
export async function releaseSandbox(tx: Tx, row: RunRow, how: RunEnd['how']): Promise<void> {
  if (row.sandbox === null) return;
  const spec = await specOfVersion(tx, row.automation, row.version);
  const isKept = how !== 'cancel' && row.opened_at !== null && spec?.keep_alive === true;
  const { now } = tx.dialect;
  const set = isKept ? `idle_at = coalesce(idle_at, ${now})` : `delete_at = ${now}`;
  await tx.run(`update sandboxes set ${set}, updated_at = ${now} where id = ? and state in ('creating', 'ready', 'paused')`, [row.sandbox]);
}
