import type { Tx } from '../../database/tx.js';
import { clearFailures, countFailure, disableAutomation, lockAutomation } from '../automations/automations.js';
import type { RunEnd } from './run-end.js';
import type { RunRow } from './run-rows.js';

/** So many failures in a row that only a person can mend switch an automation off. */
export const MOST_PERMANENT_FAILURES = 3;
/** And so many of any kind within a day. */
export const MOST_FAILURES = 10;
const WINDOW_MS = 86_400_000;

/**
 * Counts the end of a run for its automation, whose row is locked last of all. Only completed and failed runs count: what was cancelled
 * or skipped neither adds to a series nor ends it. Resolves to why the automation was switched off; null: it was not.
 */
export async function countEnd(
  tx: Tx,
  { automation: id }: RunRow,
  { how, isPermanent = false, detail, error }: RunEnd,
): Promise<string | null> {
  if (how !== 'complete' && how !== 'fail') return null;
  const automation = await lockAutomation(tx, id);
  if (automation === null) return null;
  if (!isPermanent || how === 'complete') await clearFailures(tx, id);
  if (how === 'complete') return null;
  const inARow = isPermanent ? await countFailure(tx, id) : 0;
  const why = (detail ?? error ?? '').slice(0, 500);
  if (inARow >= MOST_PERMANENT_FAILURES)
    return off(tx, id, 'permanent_failures', `${inARow} runs in a row failed for good; the last one: ${why}`);
  if (await hasFailedThrough(tx, id, automation.updatedAt))
    return off(tx, id, 'consecutive_failures', `the last ${MOST_FAILURES} runs failed within a day; the last one: ${why}`);
  return null;
}

async function off(tx: Tx, id: string, reason: string, detail: string): Promise<string | null> {
  return (await disableAutomation(tx, id, { reason, detail }, 'throughline')) ? detail : null;
}

/** Since it was last changed or switched: what a person has looked at begins anew. */
async function hasFailedThrough(tx: Tx, automation: string, since: number): Promise<boolean> {
  const rows = await tx.all<{ state: string }>(
    `select state from runs where automation = ? and state in ('completed', 'failed') and ended_at > ${tx.dialect.now} - ? and ended_at >= ?
      order by ended_at desc, created_at desc limit ?`,
    [automation, WINDOW_MS, since, MOST_FAILURES],
  );
  return rows.length === MOST_FAILURES && rows.every(({ state }) => state === 'failed');
}
