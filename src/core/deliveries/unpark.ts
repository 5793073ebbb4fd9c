import { clock, type Tx } from '../../database/tx.js';
import type { Queue } from './queue.js';
import { lockQueues, saveQueues } from './queues.js';

const BATCH = 500;

/**
 * Lets workers look again at what waited for a change of the configuration: a start is when it may have come.
 * Takes some at a time; resolves to how many, and is to be called again until there are none.
 */
export async function unparkUnconfigured(tx: Tx): Promise<number> {
  const rows = await tx.all<{ conversation: string }>(
    "select conversation from queues where parked = 'unconfigured' order by conversation limit ?",
    [BATCH],
  );
  const queues = await lockQueues(
    tx,
    rows.map(({ conversation }) => conversation),
  );
  const parked = [...queues.values()].filter((queue) => queue.parked === 'unconfigured');
  const now = await clock(tx);
  for (const queue of parked) unpark(queue, now);
  await saveQueues(tx, parked);
  return parked.length;
}

export function unpark(queue: Queue, now: number): void {
  queue.parked = null;
  queue.readyAt = queue.owner === null && queue.open > 0 ? now : null;
}
