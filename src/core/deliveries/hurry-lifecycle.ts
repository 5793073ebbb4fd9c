import { clock, marks, type Tx } from '../../database/tx.js';
import { wakeAt } from './queue.js';
import { lockQueues, saveQueues } from './queues.js';

/** Ends whose provider could not be told yet are due now. Takes some at a time; resolves to how many there were. */
export async function hurryLifecycle(tx: Tx, limit: number): Promise<number> {
  const rows = await tx.all<{ conversation: string }>(
    `select q.conversation from queues q join deliveries d on d.conversation = q.conversation and d.sequence = q.head
      where q.ready_at > ${tx.dialect.now} and d.kind = 'lifecycle' and d.state = 'pending' and d.due_at is not null order by q.conversation limit ?`,
    [limit],
  );
  const ids = rows.map(({ conversation }) => conversation);
  const waiting = [...(await lockQueues(tx, ids)).values()].filter(
    ({ owner, parked, open }) => owner === null && parked === null && open > 0,
  );
  if (waiting.length === 0) return rows.length;
  const now = await clock(tx);
  for (const queue of waiting) wakeAt(queue, now);
  await tx.run(
    `update deliveries set due_at = ? where conversation in (${marks(ids.length)}) and kind = 'lifecycle' and state = 'pending' and due_at > ?`,
    [now, ...ids, now],
  );
  await saveQueues(tx, waiting);
  return rows.length;
}
