import type { ConversationRow } from '../conversations/conversations.js';
import type { NewDelivery } from '../deliveries/deliveries.js';
import type { Outcome, Trust } from '../deliveries/delivery.js';
import type { Queue } from '../deliveries/queue.js';
import type { EndedConversation } from '../jobs/record-endings.js';

/** A conversation that this transaction has locked, as it is after what was decided so far. */
export interface Locked {
  row: ConversationRow;
  readonly queue: Queue;
  readonly isNew: boolean;
  readonly title: string | null;
  readonly url: string | null;
  /** Stored deliveries up to here are to be retired. */
  retireUpTo: number | null;
  /** The one of them that stands for the end instead. */
  spared: number | null;
  /** Its last end in this transaction. */
  ended: EndedConversation | null;
  /** The claim that a message of this transaction interrupts. */
  interrupted: { readonly from: number; readonly to: number } | null;
  /** Deliveries of the claim, and those of them that wake. */
  readonly claimed: { count: number; waking: number };
  /** A message of this transaction joins the claim. */
  isSteered: boolean;
  /** A message of this transaction is one that anybody could have written. */
  isTainted: boolean;
  hasNewLife: boolean;
  /** It had ended, and is open again. */
  isReopened: boolean;
  isTouched: boolean;
}

/** What was decided so far of a conversation that was just locked. */
export function unchanged() {
  return {
    ...{
      retireUpTo: null,
      spared: null,
      ended: null,
      interrupted: null,
      isSteered: false,
      isTainted: false,
      hasNewLife: false,
      isReopened: false,
      isTouched: false,
    },
    claimed: { count: 0, waking: 0 },
  };
}

/** A message of a conversation, by the delivery that it has last. */
export interface Message {
  readonly sequence: number;
  /** `waiting`: nobody works on it yet, so it can still be another. */
  readonly state: 'waiting' | 'claimed' | 'completed';
  readonly outcome: Outcome | null;
  /** No open delivery stands before it. */
  readonly isHead: boolean;
  readonly waking: boolean;
  readonly route: string | null;
  readonly trust: Trust;
  readonly text: string;
  readonly textRevision: string | null;
}

/** A delivery that is to be made. */
export interface Arriving extends Omit<NewDelivery, 'conversation' | 'sequence' | 'outcome'> {
  /** The quiet that its turn waits for; null: none. */
  readonly debounceMs: number | null;
  /** It is to join the running turn, if that takes it. */
  readonly steers: boolean;
}
