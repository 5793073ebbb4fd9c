import { clock, type Tx } from '../../database/tx.js';
import { specOfVersion } from '../automations/automations.js';
import { quoted } from '../machine.js';
import type { ClaimedRun } from './claim-runs.js';
import { run } from './run.js';
import { insertLogs } from './run-logs.js';
import { lockRun, type RunRow, stepRuns, WORKED_ON } from './run-rows.js';
import { runsOwnedBy } from './watch-runs.js';

const LOST = 'the process that started it ended';

/**
 * A run whose replica was lost: before anything of it had begun it waits again, for any replica; afterwards it is nobody's, and is watched
 * on by whoever takes it. The raised token fences the replica, should it live. 0: somebody was faster.
 */
export async function giveUpRun(tx: Tx, id: string, dead: readonly number[]): Promise<number> {
  const row = await lockRun(tx, id);
  if (row === null || row.owner === null || !dead.includes(row.owner)) return 0;
  if (run.sources('requeue').includes(row.state) && row.begun_at === null) {
    await stepRuns(tx, [id], 'requeue', 'owner = null, token = token + 1, due_at = ?, deadline_at = null', [await clock(tx)]);
    await insertLogs(tx, id, [{ kind: 'note', body: LOST }]);
    return 1;
  }
  return tx.run(`update runs set owner = null, token = token + 1 where id = ? and state in (${quoted(WORKED_ON)})`, [id]);
}

/** Begun runs that nobody watches, for this replica. */
export async function adoptRuns(tx: Tx, owner: number, limit: number): Promise<ClaimedRun[]> {
  const live = `state in (${quoted(WORKED_ON)})`;
  const rows = await tx.all<RunRow>(
    `update runs set owner = ?, token = token + 1 where id in (
       select id from runs where owner is null and ${live} order by id limit ?${tx.dialect.forUpdateSkipLocked}) and ${live} returning *`,
    [owner, limit],
  );
  const adopted: ClaimedRun[] = [];
  for (const row of rows) {
    const spec = await specOfVersion(tx, row.automation, row.version);
    if (spec !== null) adopted.push({ ...row, spec });
  }
  return adopted;
}

/** A replica that ends by itself leaves its runs as a lost one would, at once. */
export async function leaveRuns(tx: Tx, owner: number): Promise<void> {
  for (const id of await runsOwnedBy(tx, [owner])) await giveUpRun(tx, id, [owner]);
}
