import type { ConversationRow } from '../conversations/conversations.js';
import type { Queue } from '../deliveries/queue.js';

/** A conversation that this transaction has locked, for an operator. */
export interface Place {
  readonly row: ConversationRow;
  readonly queue: Queue;
  readonly now: number;
}
