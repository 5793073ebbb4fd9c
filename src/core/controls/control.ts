import { machine } from '../machine.js';

/**
 * The binding of a conversation to the thread in which people see it.
 *
 *   wanted  there is something to show: its thread is verified, found or made before anything is written to it
 *   open    the thread was there when it was last looked at, and takes messages
 *   closed  the conversation has ended: the thread is archived, and is neither looked up nor made
 */
export const control = machine('control', {
  wanted: { verify: 'open', close: 'closed', move: 'wanted' },
  open: { verify: 'open', doubt: 'wanted', close: 'closed', move: 'wanted' },
  closed: { close: 'closed', reopen: 'wanted' },
});

export type ControlState = (typeof control.states)[number];

/** Where the conversations of a workspace are shown, and what its channel can. */
export interface Placement {
  readonly connection: string;
  /** What threads hang under, as the channel names it. */
  readonly parent: string;
  readonly limits: { readonly title: number; readonly text: number; readonly editMs: number | null };
}

/** A thread at a channel, by the provider's id of it. */
export interface ThreadPlace {
  readonly org: string;
  readonly connection: string;
  readonly thread: string;
}
