import type { WorkBoard } from '../../../plugins/linear/work.options.js';
import type { Json } from './linear.requests.js';

const state = (n: number) => `7a7a7a7a-0000-4000-8000-00000000000${n}`;

export const BOARD: WorkBoard = {
  ...{ planning: state(1), planApproval: state(2), approved: state(3), inProgress: state(4), review: state(5), blocked: state(6) },
  done: state(7),
};

/** The workflow states of the team that has this board, by their ids. */
export const STATES: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(BOARD).map(([name, id]) => [id, { id, name, type: name === 'done' ? 'completed' : 'started' }]),
);
