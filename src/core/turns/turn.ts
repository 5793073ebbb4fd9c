import { type EventOf, machine } from '../machine.js';

/**
 * Agent work that owns a claim.
 *
 *   active       a runtime is working
 *   pausing      asked to stop at the next point from which it can go on
 *   paused       waits, its claim kept
 *   done         its deliveries are completed
 *   failed       the runtime reported a failure: one attempt
 *   interrupted  stopped, or lost with its process
 *   abandoned    given up by an operator; its deliveries wait again
 *   retired      its conversation ended
 *   reset        its conversation was reset
 */
export const turn = machine('turn', {
  active: {
    pause: 'pausing',
    finish: 'done',
    fail: 'failed',
    interrupt: 'interrupted',
    abandon: 'abandoned',
    retire: 'retired',
    reset: 'reset',
  },
  pausing: {
    rest: 'paused',
    resume: 'active',
    finish: 'done',
    fail: 'failed',
    interrupt: 'interrupted',
    abandon: 'abandoned',
    retire: 'retired',
    reset: 'reset',
  },
  paused: {
    resume: 'active',
    finish: 'done',
    fail: 'failed',
    interrupt: 'interrupted',
    abandon: 'abandoned',
    retire: 'retired',
    reset: 'reset',
  },
  done: {},
  failed: {},
  interrupted: {},
  abandoned: {},
  retired: {},
  reset: {},
});

/** The states that hold a conversation's one claim. */
export const LIVE_TURN = turn.sources('finish');

/** How a turn may end, and the event that ends it so. */
export const ENDED_BY = {
  done: 'finish',
  failed: 'fail',
  interrupted: 'interrupt',
  abandoned: 'abandon',
  retired: 'retire',
  reset: 'reset',
} as const satisfies Record<string, EventOf<typeof turn.table>>;

/** Public id of a turn: its conversation and its claim's token. */
export function turnId(conversation: string, token: number): string {
  return `${conversation}.${token}`;
}
