import { machine, type StateOf } from '../machine.js';

/**
 * A piece of work on what a conversation is about, which people steer where its subject is kept: on its board.
 *
 *   planning   its agent works out what is to be done
 *   proposed   the plan waits for a person
 *   running    a person has let it be done: its lease stands
 *   review     its agent says that it is done, and a person looks
 *   blocked    it cannot go on without a person
 *   done       a person has taken what was reviewed
 *   cancelled  it is not to be done any more
 */
export const task = machine('task', {
  planning: { propose: 'proposed', lease: 'running', block: 'blocked', cancel: 'cancelled' },
  proposed: { plan: 'planning', lease: 'running', block: 'blocked', cancel: 'cancelled' },
  running: { plan: 'planning', submit: 'review', block: 'blocked', cancel: 'cancelled' },
  review: { plan: 'planning', lease: 'running', block: 'blocked', complete: 'done', cancel: 'cancelled' },
  blocked: { plan: 'planning', lease: 'running', cancel: 'cancelled' },
  done: { plan: 'planning', lease: 'running' },
  cancelled: { plan: 'planning', lease: 'running' },
});

export type TaskStateName = StateOf<typeof task.table>;

/** The steps that begin one where there was none. */
export const BEGINNINGS = ['plan', 'lease'] as const;

/** While it is in one of these its conversation is moved nowhere. */
export const PINNING: ReadonlySet<TaskStateName> = new Set(['planning', 'proposed', 'running', 'review']);
