import { machine } from '../machine.js';

/**
 * Where the conversation of an automation's run lives.
 *
 *   creating  it is stored, and being made: whether it is there nobody knows
 *   ready     its agent server answers
 *   paused    it sleeps with all that it has, and is woken by the next message
 *   deleting  nobody needs it; it is removed as often as it takes
 *   gone      it is no more
 *
 * `ready` in `ready`: it answers at another address, or in spite of being put to sleep. `lose`: it was found to be gone, and nobody had asked for it. `find`: it was made after all, behind the back
 * of whoever removed it.
 */
export const sandbox = machine('sandbox', {
  creating: { ready: 'ready', delete: 'deleting', lose: 'gone' },
  ready: { ready: 'ready', pause: 'paused', delete: 'deleting', lose: 'gone' },
  paused: { ready: 'ready', delete: 'deleting', lose: 'gone' },
  deleting: { remove: 'gone' },
  gone: { find: 'deleting' },
});

export type SandboxState = 'creating' | 'ready' | 'paused' | 'deleting' | 'gone';

/** A sandbox in one of these is the one of its conversation. */
export const HELD: readonly SandboxState[] = sandbox.sources('delete');

/** Messages reach a conversation in one of these without a run. */
export const STANDING: readonly SandboxState[] = HELD.filter((state) => state !== 'creating');
