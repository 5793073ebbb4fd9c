import { scopedId } from '../../core/conversations/conversation-id.js';
import type { AgentServerClient, PostedMessage } from './agent-server-client.js';
import { userText } from './answers.js';

/** The id under which a delivery's message is posted, however often. */
export function messageId(delivery: string): string {
  return scopedId('message', delivery);
}

/** The newest event of a conversation before anything is posted; null while it has none. To be stored before `postOnce`. */
export async function checkpointOf(client: AgentServerClient, conversation: string, signal?: AbortSignal): Promise<string | null> {
  const { items } = await client.events(conversation, null, signal);
  return items[0]?.id ?? null;
}

/**
 * Posts a message unless it stands among the events since the checkpoint: a server that takes no message id would take it twice.
 * One conversation has one writer at a time, so equal words since the checkpoint are this very message.
 */
export async function postOnce(
  client: AgentServerClient,
  conversation: string,
  message: PostedMessage,
  checkpoint: string | null,
  signal?: AbortSignal,
): Promise<'posted' | 'found'> {
  if (await stands(client, conversation, message, checkpoint, signal)) return 'found';
  await client.post(conversation, message, signal);
  return 'posted';
}

async function stands(
  client: AgentServerClient,
  conversation: string,
  message: PostedMessage,
  checkpoint: string | null,
  signal?: AbortSignal,
): Promise<boolean> {
  let page: string | null = null;
  do {
    const { items, next } = await client.events(conversation, page, signal);
    for (const event of items) {
      if (event.id === checkpoint) return false;
      if (event.id === message.id || userText(event) === message.text) return true;
    }
    page = next;
  } while (page !== null);
  return false;
}
