import { machine } from '../machine.js';

/**
 * One start of an automation: what opens a conversation, and what it costs.
 *
 *   queued     waits for a dispatcher; what comes for its subject waits with it
 *   starting   a replica makes its sandbox and opens its conversation
 *   running    its conversation is open: messages are delivered, in their order
 *   completed  it is done
 *   failed     it is not
 *   cancelled  a person stopped it
 *   skipped    it was not to begin: another one was at work, or its automation was switched off
 *
 * `requeue`: its replica was lost before the entrypoint had started. `reconcile`: success came after it had run out of time.
 */
export const run = machine('run', {
  queued: { claim: 'starting', cancel: 'cancelled', skip: 'skipped', fail: 'failed' },
  starting: { open: 'running', requeue: 'queued', complete: 'completed', fail: 'failed', cancel: 'cancelled', skip: 'skipped' },
  running: { complete: 'completed', fail: 'failed', cancel: 'cancelled' },
  completed: {},
  failed: { reconcile: 'completed' },
  cancelled: {},
  skipped: {},
});

export type RunState = 'queued' | 'starting' | 'running' | 'completed' | 'failed' | 'cancelled' | 'skipped';

/** A run in one of these is the one live run of its conversation and of its subject. */
export const LIVE = run.states.filter((state) => run.sources('cancel').includes(state));

export type RunCause = 'event' | 'cron' | 'api' | 'restart';
