import type { LinearConnection } from './linear.options.js';
import { COLUMNS, type Column, type WorkBoard } from './work.options.js';

/** Where a workflow state stands on the boards of a connection. */
export interface BoardPlace {
  readonly column: Column;
  readonly board: WorkBoard;
}

/** Null: the state is no column of any board. */
export function placeOf(stateId: string | undefined, { work = [] }: LinearConnection): BoardPlace | null {
  for (const board of work) {
    const column = COLUMNS.find((each) => board[each] === stateId);
    if (column !== undefined) return { column, board };
  }
  return null;
}
