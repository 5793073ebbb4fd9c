import { machine } from '../machine.js';

/**
 * One thing that the end of a conversation leaves to do, apart from what its provider is told.
 *
 *   waiting     is to be done, at once or after a pause
 *   running     a replica is at it; the conversation's next turn waits for it
 *   done        what there was to do is done
 *   superseded  the conversation was opened again, or ended anew, before it began
 */
export const job = machine('job', {
  waiting: { begin: 'running', supersede: 'superseded' },
  running: { finish: 'done', fail: 'waiting', release: 'waiting' },
  done: {},
  superseded: {},
});

/** Jobs of a later step wait for those in these states. */
export const UNFINISHED = [...job.sources('begin'), ...job.sources('finish')];

/** What every end leaves to do; a job waits for those of lower steps of its end. */
export const CLEANUP = [
  { kind: 'retire_runtime', step: 1 },
  { kind: 'remove_files', step: 2 },
] as const;

/** What becomes of a job that is due: it is only for the end that it was made at. */
export function isDueFor(job: { readonly ending: number }, conversation: { readonly state: string; readonly ending: number }): boolean {
  return conversation.state === 'terminal' && conversation.ending === job.ending;
}
