import type { TaskState, TaskStep } from 'throughline/plugin';
import type { Column } from './work.options.js';

/** How an issue stands at the moment at which an event about it is at the head. */
export interface Situation {
  /** Null: in no column of a board. */
  readonly column: Column | null;
  readonly task: TaskState | null;
  /** This very event has taken the task's last step already: a crash came between. */
  readonly isRepeat: boolean;
  /** The event is a change of the state, and a member of the workspace made it. */
  readonly isMove: boolean;
  readonly byUser: boolean;
}

/** What the controller does about it. */
export interface Ruling {
  readonly step?: TaskStep;
  readonly tell?: 'plan' | 'execute';
  /** The issue goes on to In Progress. */
  readonly starts?: true;
}

/** It is the controller's, and there is nothing to do. */
const OWNED: Ruling = {};
const EXECUTE: Ruling = { step: 'lease', tell: 'execute' };

/** Null: the event is an agent's like any other. */
export function rule({ column, task, isRepeat, isMove, byUser }: Situation): Ruling | null {
  switch (column) {
    case 'planning':
      return task === 'planning' && !isRepeat ? OWNED : { step: 'plan', tell: 'plan' };
    case 'planApproval':
      return task === 'planning' ? { step: 'propose' } : OWNED;
    case 'approved':
      return task === 'running' && !isRepeat ? { starts: true } : { ...EXECUTE, starts: true };
    case 'inProgress':
      if (isRepeat) return EXECUTE;
      // That it is in progress lets nobody do it: only the move itself does, by a person.
      return task !== 'running' && isMove && byUser ? EXECUTE : OWNED;
    case 'review':
      return task === 'running' ? { step: 'submit' } : null;
    case 'blocked':
      if (task === 'cancelled') return OWNED;
      return STEPS_OF_AGENTS.block.from.some((state) => state === task) ? { step: 'block' } : null;
    default:
      return isMove && isUnfinished(task) ? { step: 'cancel' } : null;
  }
}

interface StepOfAgents {
  readonly column: Column;
  readonly from: readonly TaskState[];
}

/** The steps that an agent may take by moving its issue: to which column, and from where. Every other column is for people. */
export const STEPS_OF_AGENTS = {
  propose: { column: 'planApproval', from: ['planning'] },
  submit: { column: 'review', from: ['running'] },
  block: { column: 'blocked', from: ['planning', 'proposed', 'running', 'review'] },
} as const satisfies Partial<Record<TaskStep, StepOfAgents>>;

export function isUnfinished(task: TaskState | null): boolean {
  return task === 'planning' || task === 'proposed' || task === 'running' || task === 'review';
}
