import { machine } from '../core/machine.js';

/**
 * What the agent of a conversation is doing, in the words of the API.
 *
 *   idle                      nothing was ever asked of it
 *   running                   it works, or waits for one of the places
 *   waiting_for_confirmation  it works, and waits for a person's word
 *   paused                    a person stopped it; what was not done stays
 *   finished                  all that it was given is done
 *   error                     its last turn failed, or the server died during it; what it was given is still to be done
 *   deleting                  it is going
 */
export const execution = machine('execution', {
  idle: { run: 'running', pause: 'paused', remove: 'deleting' },
  running: { ask: 'waiting_for_confirmation', pause: 'paused', finish: 'finished', fail: 'error', lose: 'error', remove: 'deleting' },
  waiting_for_confirmation: { answer: 'running', pause: 'paused', finish: 'finished', fail: 'error', lose: 'error', remove: 'deleting' },
  paused: { run: 'running', pause: 'paused', remove: 'deleting' },
  finished: { run: 'running', pause: 'paused', take: 'idle', remove: 'deleting' },
  error: { run: 'running', pause: 'paused', remove: 'deleting' },
  deleting: {},
});

export type ExecutionStatus = (typeof execution.states)[number];
