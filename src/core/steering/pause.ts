import type { Tx } from '../../database/tx.js';
import { Conflict } from '../../plugin/index.js';
import { grant } from '../conversations/accounts.js';
import { insertNotes, type Note } from '../conversations/notes.js';
import { wakeAt } from '../deliveries/queue.js';
import { unpark } from '../deliveries/unpark.js';
import type { Place } from './place.js';

/** Nothing more is claimed. Whoever drives a turn of the conversation asks it to rest, where its runtime can. */
export async function pauseConversation(tx: Tx, place: Place, by: string): Promise<void> {
  const { row, queue } = place;
  if (row.state === 'terminal') throw new Conflict(`this conversation is terminal (${row.reason ?? 'closed'}): there is nothing to pause`);
  if (queue.isPaused) throw new Conflict('this conversation is paused already');
  queue.isPaused = true;
  // A budget of the day that is spent is looked at again when the conversation is resumed.
  queue.readyAt = null;
  await note(tx, place, by, 'pause');
}

export async function resumeConversation(tx: Tx, place: Place, by: string): Promise<void> {
  const { queue, now } = place;
  const isAside = queue.parked === 'looping' || queue.parked === 'spent';
  if (!queue.isPaused && !isAside)
    throw new Conflict(`this conversation is not paused: it is ${queue.parked ?? (queue.owner === null ? 'waiting or idle' : 'running')}`);
  queue.isPaused = false;
  if (isAside) await letGoOn(tx, place);
  else wakeAt(queue, now);
  await note(tx, place, by, 'resume');
}

/** What was put aside for costs or for a loop is taken up again, and both count anew. */
export async function letGoOn(tx: Tx, { queue, now }: Place): Promise<void> {
  await grant(tx, queue.conversation, queue.token, queue.parked === 'spent' ? queue.readyAt : null);
  unpark(queue, now);
}

function note(tx: Tx, { row, now }: Place, by: string, kind: Note['kind']): Promise<void> {
  return insertNotes(tx, [{ conversation: row.id, at: now, by, kind, receipt: null, sequence: null, reason: null }]);
}
