import type { ConversationEvent } from './events.js';
import type { HostedConversation } from './hosted-conversation.js';

/** A conversation as the API shows it. */
export function viewOf({ origin, marks, events, lastMessage }: HostedConversation): Readonly<Record<string, unknown>> {
  const { id, created_at, agent, working_dir, tags } = origin;
  return {
    ...{ id, execution_status: marks.status, title: marks.title ?? origin.title, tags, created_at },
    updated_at: events.at(-1)?.timestamp ?? created_at,
    agent: { kind: agent['kind'] },
    workspace: { kind: 'LocalWorkspace', working_dir },
    takes_message_ids: true,
    metrics: { accumulated_cost: marks.costUsd },
    ...{ last_user_message_id: lastMessage, leaf_event_id: events.at(-1)?.id ?? null },
  };
}

/** What is told to whoever begins to listen. */
export function fullState(conversation: HostedConversation): Omit<ConversationEvent, 'id' | 'timestamp'> {
  return { kind: 'ConversationStateUpdateEvent', source: 'environment', key: 'full_state', value: viewOf(conversation) };
}
