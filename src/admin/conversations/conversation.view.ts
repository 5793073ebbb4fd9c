import type { ConversationView } from '../../core/conversations/list-conversations.js';
import { instant, instantOrNull } from '../http/instant.js';
import type { ConversationDto, WaitingDto } from './conversation.dto.js';

export function toConversation(c: ConversationView): ConversationDto {
  const { id, org, scope, title, url, workspace, session, state, status } = c;
  return {
    ...{ id, org, subject: { namespace: c.namespace, key: c.key }, scope, title, url, workspace, session, state },
    terminal: state === 'terminal' ? { reason: c.reason ?? 'closed', revision: c.revision, at: instantOrNull(c.terminal_at) } : null,
    status,
    queue: { held: c.held, pending: c.open - c.held - c.claimed, claimed: c.claimed, completed: c.made - c.open },
    waiting_for: waitingFor(c),
    control: null,
    ...{ created_at: instant(c.created_at), updated_at: instant(c.updated_at) },
  };
}

function waitingFor(c: ConversationView): WaitingDto | null {
  if (c.status === 'running' || c.open === 0) return null;
  const because = (reason: string, until: number | null = null) => ({ reason, until: instantOrNull(until), detail: c.head_failure });
  if (c.parked !== null) return because(c.parked);
  if (c.head_due_at !== null && c.head_due_at > c.now) return because('retry', c.head_due_at);
  if (c.waking === 0) return c.ready_at === null ? because('waking_message') : because('later', c.ready_at);
  return because('worker');
}
