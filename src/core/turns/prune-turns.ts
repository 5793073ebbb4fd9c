import type { Tx } from '../../database/tx.js';

/** Lines of transcripts that one batch deletes at the most, or not many more. */
const MOST_LINES = 5000;

/** Forgets turns that ended so long ago, with what their agents said, unless a delivery that they worked on is still open. */
export async function pruneTurns(tx: Tx, olderThan: number, limit: number): Promise<{ count: number; isDone: boolean }> {
  const turns = await tx.all<{ conversation: string; token: number }>(
    `select t.conversation, t.token from turns t left join queues q on q.conversation = t.conversation
      where t.ended_at < ? and not (coalesce(q.open, 0) > 0 and q.head <= t.to_sequence) order by t.ended_at limit ?`,
    [olderThan, limit],
  );
  let lines = 0;
  let count = 0;
  for (const { conversation, token } of turns) {
    // What was said under an earlier claim that came to no turn goes with it.
    lines += await tx.run(
      `delete from transcripts where conversation = ? and token <= ? and said_at < ? and (token, number) in
         (select token, number from transcripts where conversation = ? and token <= ? and said_at < ? order by token, number limit ?)`,
      [conversation, token, olderThan, conversation, token, olderThan, MOST_LINES],
    );
    if (lines >= MOST_LINES) return { count, isDone: false };
    count += await tx.run('delete from turns where conversation = ? and token = ?', [conversation, token]);
  }
  return { count, isDone: turns.length < limit };
}
