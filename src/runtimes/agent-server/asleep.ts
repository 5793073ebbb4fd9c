import type { AgentServerClient } from './agent-server-client.js';
import type { ConversationInfo, ExecutionStatus } from './answers.js';

const ASLEEP: readonly ExecutionStatus[] = ['paused', 'waiting_for_confirmation'];
/** A conversation is stopped by one of its last events, or by nothing that is known. */
const PAGES = 5;

export function mayRun({ status }: ConversationInfo): boolean {
  return !ASLEEP.includes(status);
}

/**
 * Whether only a person may wake it. One that was interrupted is `paused` as well: its work was stopped, not the conversation. That is how
 * turns are stopped from here, so that the next one begins.
 */
export async function isAsleep(client: AgentServerClient, conversation: ConversationInfo, signal: AbortSignal): Promise<boolean> {
  if (conversation.status !== 'paused') return !mayRun(conversation);
  let page: string | null = null;
  for (let read = 0; read < PAGES; read += 1) {
    const { items, next } = await client.events(conversation.id, page, signal);
    const stop = items.find(({ kind }) => kind === 'PauseEvent' || kind === 'InterruptEvent');
    if (stop !== undefined) return stop.kind === 'PauseEvent';
    if (next === null) return true;
    page = next;
  }
  return true;
}
