import type { Insertion, Tx } from '../../database/tx.js';
import { pruneByAge } from '../prune-by-age.js';

/** What became of a conversation besides its deliveries: decisions about events that made none, and what operators did. */
export interface Note {
  readonly conversation: string;
  readonly at: number;
  readonly by: string;
  readonly kind:
    | 'ignored'
    | 'closed'
    | 'reopened'
    | 'retry'
    | 'skip'
    | 'abandon'
    | 'stop'
    | 'terminate'
    | 'reopen'
    | 'edited'
    | 'withdrawn'
    | 'alias'
    | 'alias_refused'
    | 'unalias'
    | 'purge'
    | 'alert'
    | 'reset'
    | 'pause'
    | 'resume'
    | 'interrupt'
    | 'looping'
    | 'spent'
    | 'moved'
    | 'task';
  readonly receipt: number | null;
  readonly sequence: number | null;
  readonly reason: string | null;
}

const NOTES: Insertion = {
  table: 'notes',
  columns: {
    ...{ conversation: 'uuid', noted_at: 'bigint', noted_by: 'text', kind: 'text', receipt: 'bigint', sequence: 'bigint', reason: 'text' },
  },
};

export async function insertNotes(tx: Tx, notes: readonly Note[]): Promise<void> {
  await tx.insert(
    NOTES,
    notes.map((n) => [n.conversation, n.at, n.by, n.kind, n.receipt, n.sequence, n.reason]),
  );
}

export function pruneNotes(tx: Tx, olderThan: number, limit: number): Promise<{ count: number; isDone: boolean }> {
  return pruneByAge(tx, { table: 'notes', at: 'noted_at' }, olderThan, limit);
}
