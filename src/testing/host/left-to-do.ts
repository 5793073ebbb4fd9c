import { readLoad } from '../../core/deliveries/read-load.js';
import { first, type Tx } from '../../database/tx.js';

/** What a server would do now, by the clock as it stands; what waits for a later time is left out. */
export interface LeftToDo {
  /** Conversations whose head may be claimed. */
  readonly ready: boolean;
  /** Turns that run. */
  readonly running: number;
  /** Jobs of ends, errands at channels, writes, and approvals that are to be executed. */
  readonly others: number;
}

export async function leftToDo(tx: Tx): Promise<LeftToDo> {
  const { oldest_ready_at, running } = await readLoad(tx);
  const due = `due_at is null or due_at <= ${tx.dialect.now}`;
  const row = await first<{ others: number }>(
    tx,
    `select (select count(*) from jobs where state in ('waiting', 'running') and (${due}))
       + (select count(*) from errands where state in ('waiting', 'writing', 'unknown', 'looking') and (${due}))
       + (select count(*) from effects where state in ('prepared', 'executing'))
       + (select count(*) from approvals where state = 'approved') as others`,
  );
  return { ready: oldest_ready_at !== null, running, others: Number(row?.others ?? 0) };
}
