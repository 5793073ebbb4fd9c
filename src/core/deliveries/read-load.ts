import type { Tx } from '../../database/tx.js';

/** How much there is to do, over all organisations. */
export interface Load {
  readonly open: number;
  /** Since when the longest waiting of the heads that may be claimed waits; null: none waits. */
  readonly oldest_ready_at: number | null;
  readonly held: number;
  readonly stalled: number;
  readonly unconfigured: number;
  readonly looping: number;
  readonly spent: number;
  readonly paused: number;
  readonly running: number;
  readonly now: number;
}

export async function readLoad(tx: Tx): Promise<Load> {
  const [load] = await tx.all<Load>(
    `select coalesce(sum(open), 0) as open, min(case when ready_at <= ${tx.dialect.now} then ready_at end) as oldest_ready_at,
       count(case when parked = 'held' then 1 end) as held, count(case when parked = 'stalled' then 1 end) as stalled,
       count(case when parked = 'unconfigured' then 1 end) as unconfigured, count(case when parked = 'looping' then 1 end) as looping, count(case when parked = 'spent' then 1 end) as spent,
       count(case when paused = 1 then 1 end) as paused, count(case when owner is not null and resting = 0 then 1 end) as running,
        ${tx.dialect.now} as now
     from queues`,
  );
  if (!load) throw new Error('an aggregate without a row');
  return { ...load, open: Number(load.open) };
}

/** Heads that have failed and wait for their next attempt. */
export async function countRetrying(tx: Tx): Promise<number> {
  const [row] = await tx.all<{ count: number }>(
    `select count(*) as count from queues q join deliveries d on d.conversation = q.conversation and d.sequence = q.head
      where q.open > 0 and d.attempts > 0 and d.due_at is not null`,
  );
  return row?.count ?? 0;
}
