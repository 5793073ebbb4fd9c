import { clock, type Tx } from '../../database/tx.js';
import { type Queue, wakeAt } from './queue.js';
import { lockQueues, saveQueues } from './queues.js';

const BATCH = 500;

/** Sorts before every conversation. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Lets workers look again at what waited for a change of the configuration, also for a higher limit of costs: a start is when it may
 * have come. Takes some at a time, in the order of their ids; resolves to how many, and where to go on (null: they were the last).
 */
export async function unparkConfigured(tx: Tx, after: string): Promise<{ count: number; last: string | null }> {
  const rows = await tx.all<{ conversation: string }>(
    "select conversation from queues where parked in ('unconfigured', 'spent') and conversation > ? order by conversation limit ?",
    [after, BATCH],
  );
  const ids = rows.map(({ conversation }) => conversation);
  const queues = await lockQueues(tx, ids);
  const parked = [...queues.values()].filter((queue) => queue.parked === 'unconfigured' || queue.parked === 'spent');
  const now = await clock(tx);
  for (const queue of parked) unpark(queue, now);
  await saveQueues(tx, parked);
  return { count: parked.length, last: ids.at(-1) ?? null };
}

export function unpark(queue: Queue, now: number): void {
  queue.parked = null;
  wakeAt(queue, now);
}
