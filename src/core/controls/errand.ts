import type { Acknowledged, Author, ControlAction, ControlButton, ReplyHandle } from '../../plugin/index.js';
import { machine } from '../machine.js';

/**
 * One thing to be done at a channel. Those of one thread are done one at a time and in their order.
 *
 *   waiting  is to be done, at once or after a pause
 *   writing  a replica is at it
 *   unknown  a message that may have been posted: it is looked for before it is posted again
 *   looking  a replica looks for it
 *   done     what there was to do is done; a message that changes has something to do again
 *   refused  the channel will never take it
 *   dropped  overtaken: nobody is to see it any more
 */
export const errand = machine('errand', {
  waiting: { begin: 'writing', drop: 'dropped' },
  writing: { finish: 'done', again: 'waiting', lose: 'unknown', refuse: 'refused', drop: 'dropped' },
  unknown: { look: 'looking', drop: 'dropped' },
  looking: { finish: 'done', again: 'waiting', lose: 'unknown', refuse: 'refused', drop: 'dropped' },
  done: { change: 'waiting' },
  refused: { change: 'waiting' },
  dropped: { change: 'waiting' },
});

export type ErrandState = (typeof errand.states)[number];

/** A replica has it in hand. */
export const IN_HAND = errand.sources('finish');
/** Nobody has it in hand, and something is to be done. */
export const OPEN = [...errand.sources('begin'), ...errand.sources('look')];
/** Nothing is to be done. */
export const ENDED = errand.sources('change');

/** What people read: a message that is posted once and edited whenever it changes. */
export interface PostBody {
  readonly text: string;
  readonly buttons?: readonly ControlButton[];
  /** Shown as an approval, where the channel has a way of its own. */
  readonly isApproval?: boolean;
}

/** What a person wants of the host, out of one receipt. */
export interface ActionBody {
  readonly action: ControlAction;
  readonly by: Author;
  readonly thread: string;
  readonly reply: ReplyHandle | null;
}

export interface AnswerBody {
  readonly handle: ReplyHandle;
  readonly text: string;
}

/** The end that the thread is archived for; `thread` set: one that its conversation has left. */
export interface ArchiveBody {
  readonly ending: number | null;
  readonly thread?: { readonly parent: string; readonly id: string; readonly title: string };
}

/** What is kept of each kind, as JSON. */
export interface ErrandBodies {
  readonly post: PostBody;
  readonly action: ActionBody;
  readonly answer: AnswerBody;
  readonly acknowledge: Acknowledged;
  readonly archive: ArchiveBody;
  readonly unarchive: Record<string, never>;
  readonly ensure: Record<string, never>;
}

export type ErrandKind = keyof ErrandBodies;
