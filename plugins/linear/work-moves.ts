import { InvalidInput, type OutboundBinding, type TaskStep } from 'throughline/plugin';
import type { LinearConnection } from './linear.options.js';
import { placeOf } from './work-board.js';
import { isUnfinished, STEPS_OF_AGENTS } from './work-rules.js';

type Binding = OutboundBinding<LinearConnection>;

/**
 * The step that a move of an agent's would be; null where it is none. Throws `InvalidInput` for a column that is for people, and for a move
 * that is not the next one.
 */
export async function stepOfMove(stateId: string, { connection, tasks }: Binding): Promise<TaskStep | null> {
  const { options } = connection;
  if (options.work === undefined) return null;
  const place = placeOf(stateId, options);
  const [step, rules] = Object.entries(STEPS_OF_AGENTS).find(([, { column }]) => column === place?.column) ?? [];
  if (place !== null && rules === undefined) throw new InvalidInput(`only people move an issue to ${place.column}`);
  const state = (await tasks?.read())?.state ?? null;
  const isNext = rules === undefined ? !isUnfinished(state) : rules.from.some((each) => each === state);
  if (!isNext) throw new InvalidInput(`the work on this issue is ${state ?? 'not begun'}: that move is not the next one`);
  return (step ?? null) as TaskStep | null;
}

/** The issue was moved. What the store does not take now the reconciliation finds on the board. */
export async function noteMove(step: TaskStep | null, { tasks }: Binding, request: string): Promise<void> {
  if (step !== null) await tasks?.take(step, { request, initiator: 'agent' }).catch(() => undefined);
}
