import { machine, type StateOf } from '../../core/machine.js';

/**
 * A stream, a poller or a backfill, on the replica that has its lease.
 *
 *   idle            nobody has it, or another replica
 *   connecting      is being connected to its provider
 *   connected       stands; events come
 *   retrying        failed, and is tried again after a pause
 *   misconfigured   a person has to change something; it waits for a restart
 */
export const source = machine('source', {
  idle: { take: 'connecting' },
  connecting: { connect: 'connected', fail: 'retrying', refuse: 'misconfigured', leave: 'idle' },
  connected: { connect: 'connected', fail: 'retrying', refuse: 'misconfigured', leave: 'idle' },
  retrying: { retry: 'connecting', leave: 'idle' },
  misconfigured: { leave: 'idle' },
});

export type SourceState = StateOf<typeof source.table>;
