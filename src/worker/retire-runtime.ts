import { forgetProcess, type Survivor, survivorsOf } from '../core/turns/turns.js';
import type { Database } from '../database/database.js';
import { ProviderFault } from '../plugin/index.js';
import type { WorkTable } from './work-table.js';

export interface RuntimeRetirement {
  readonly database: Database;
  readonly table: WorkTable;
  /** Of the machine that this process runs on. */
  readonly bootId: string;
  endProcess(pid: number, processStarted: string): Promise<void>;
}

/**
 * Lets nothing work on a conversation any more. Process groups of its retired turns are gone when this resolves: on this machine they are
 * ended, on another by the replica that started them, which is waited for. Its session was cleared when it ended.
 */
export async function retireRuntime(
  { id, org, workspace }: { readonly id: string; readonly org: string; readonly workspace: string },
  { database, table, bootId, endProcess }: RuntimeRetirement,
): Promise<void> {
  const survivors = await database.transaction((tx) => survivorsOf(tx, id));
  for (const survivor of survivors) {
    if (isElsewhere(survivor, bootId)) throw new ProviderFault('another replica is still ending the agent', 'transient', 1000);
    // A process of another machine is not mistaken for one of this: its start time names the boot.
    await endProcess(survivor.process_id, survivor.process_started);
    await database.transaction((tx) => forgetProcess(tx, { conversation: id, token: survivor.token }));
  }
  await table.workspace(org, workspace)?.runtime.retire?.(id);
}

/** Of a replica that is gone nobody can say more. */
function isElsewhere({ boot_id }: Survivor, bootId: string): boolean {
  return boot_id !== null && boot_id !== bootId;
}
