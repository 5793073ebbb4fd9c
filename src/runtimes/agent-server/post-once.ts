import { scopedId } from '../../core/conversations/conversation-id.js';
import { OutcomeUnknown } from '../../plugin/index.js';
import type { AgentServerClient, PostedMessage } from './agent-server-client.js';
import { userText } from './answers.js';

/** The id under which a delivery's message is posted, however often. */
export function messageId(delivery: string): string {
  return scopedId('message', delivery);
}

/**
 * Posts a message unless it stands among the events since the checkpoint: a server that takes no message id would take it twice.
 * Resolves to its event, the checkpoint of what comes next.
 * The id stands in its words, since those may differ when it is tried again.
 */
export async function postOnce(
  client: AgentServerClient,
  conversation: string,
  message: PostedMessage,
  checkpoint: string | null,
  signal?: AbortSignal,
): Promise<{ readonly event: string; readonly isOld: boolean }> {
  const before = await find(client, conversation, message, checkpoint, signal);
  if (before !== null) return { event: before, isOld: true };
  const { event, isDuplicate } = await client.post(
    conversation,
    message.isMarked ? { ...message, text: marked(message) } : message,
    signal,
  );
  if (event !== null) return { event, isOld: isDuplicate };
  const posted = await find(client, conversation, message, checkpoint, signal);
  if (posted !== null) return { event: posted, isOld: false };
  throw new OutcomeUnknown('the agent server said that it took a message, and shows none');
}

async function find(
  client: AgentServerClient,
  conversation: string,
  message: PostedMessage,
  checkpoint: string | null,
  signal?: AbortSignal,
): Promise<string | null> {
  let page: string | null = null;
  do {
    const { items, next } = await client.events(conversation, page, signal);
    for (const event of items) {
      if (event.id === message.id || userText(event)?.startsWith(markOf(message))) return event.id;
      // Only now: the checkpoint may be this very message.
      if (event.id === checkpoint) return null;
    }
    page = next;
  } while (page !== null);
  return null;
}

function marked(message: PostedMessage): string {
  return `${markOf(message)}\n${message.text}`;
}

function markOf({ id }: PostedMessage): string {
  return `[message ${id}]`;
}
