import { type ConversationView, readConversation } from '../../core/conversations/list-conversations.js';
import type { Tx } from '../../database/tx.js';
import { NotFound } from '../../plugin/index.js';

/** Throws `NotFound`, also for a conversation of another organisation. */
export async function existing(tx: Tx, org: string, id: string): Promise<ConversationView> {
  const conversation = await readConversation(tx, org, id);
  if (conversation === null) throw new NotFound(`There is no conversation ${id}.`);
  return conversation;
}
