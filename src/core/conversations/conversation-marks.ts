import { inChunks, marks, type Tx } from '../../database/tx.js';

/** What the queue, the life, the timeline, the transcript and the cleaning up of a conversation have come to, in one text. */
const MARK = [
  ...['q.next_sequence', 'q.open', 'q.waking', 'q.head', 'q.ready_at', 'q.parked', 'q.paused'],
  ...['q.owner', 'q.token', 'q.claim_from', 'q.claim_to', 'q.resting', 'c.state', 'c.revision', 'c.session', 'c.updated_at'],
  '(select max(n.id) from notes n where n.conversation = c.id)',
  '(select max(t.number) from transcripts t where t.conversation = c.id and t.token = q.token)',
  'c.tainted',
  "(select count(*) from approvals a where a.conversation = c.id and a.ended_at is null and a.state = 'pending')",
  "(select count(*) from jobs j where j.conversation = c.id and j.state in ('done', 'superseded'))",
]
  .map((column) => `coalesce(cast(${column} as text), '')`)
  .join(" || ' ' || ");

/** A text per conversation that is another one after anything has happened to it, whichever process did it. */
export async function readMarks(tx: Tx, conversations: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const part of inChunks(conversations, 1)) {
    const rows = await tx.all<{ id: string; mark: string }>(
      `select c.id, ${MARK} as mark from conversations c join queues q on q.conversation = c.id where c.id in (${marks(part.length)})`,
      part,
    );
    for (const { id, mark } of rows) found.set(id, mark);
  }
  return found;
}
