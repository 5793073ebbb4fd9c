import { first, type Tx } from '../../database/tx.js';
import type { TaskState, TaskStep } from '../../plugin/index.js';
import { insertNotes } from '../conversations/notes.js';
import { quoted } from '../machine.js';
import { BEGINNINGS, task } from './task.js';

export interface TaskRow {
  readonly conversation: string;
  readonly state: TaskState;
  /** What the last step was taken by, and for whom. */
  readonly request: string;
  readonly initiator: string;
  /** The request by which it may be done; null: by none. */
  readonly lease: string | null;
}

export interface NewStep {
  readonly conversation: string;
  readonly step: TaskStep;
  readonly request: string;
  readonly initiator: string;
  readonly at: number;
}

export async function readTask(tx: Tx, conversation: string): Promise<TaskRow | null> {
  return first(tx, 'select conversation, state, request, initiator, lease from tasks where conversation = ?', [conversation]);
}

/** A step of the task of a conversation whose queue is locked. Null: it is none from where the task is. The same request again is the same step. */
export async function takeStep(tx: Tx, taken: NewStep): Promise<TaskRow | null> {
  const { conversation, step, request, initiator, at } = taken;
  const known = await readTask(tx, conversation);
  if (known !== null && known.request === request && known.state === task.target(step)) return known;
  const isTaken = known === null ? await begin(tx, taken) : await change(tx, taken);
  if (!isTaken) return null;
  const reason = `${known?.state ?? 'none'} → ${task.target(step)}: ${request}`;
  await insertNotes(tx, [{ conversation, at, by: initiator, kind: 'task', receipt: null, sequence: null, reason }]);
  return readTask(tx, conversation);
}

async function begin(tx: Tx, { conversation, step, request, initiator, at }: NewStep): Promise<boolean> {
  if (!BEGINNINGS.some((beginning) => beginning === step)) return false;
  await tx.run('insert into tasks (conversation, state, request, initiator, lease, begun_at, changed_at) values (?, ?, ?, ?, ?, ?, ?)', [
    ...[conversation, task.target(step), request, initiator, step === 'lease' ? request : null, at, at],
  ]);
  return true;
}

/** A lease is given up where the work is planned anew. */
async function change(tx: Tx, { conversation, step, request, initiator, at }: NewStep): Promise<boolean> {
  const lease = step === 'lease' ? '?' : step === 'plan' ? 'null' : 'lease';
  const changed = await tx.run(
    `update tasks set state = ?, request = ?, initiator = ?, lease = ${lease}, changed_at = ?
     where conversation = ? and state in (${quoted(task.sources(step))})`,
    [task.target(step), request, initiator, ...(step === 'lease' ? [request] : []), at, conversation],
  );
  return changed === 1;
}
