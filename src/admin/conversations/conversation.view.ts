import type { ConversationView } from '../../core/conversations/list-conversations.js';
import type { ControlDto } from '../controls/control.dto.js';
import { toControl } from '../controls/control.view.js';
import { instant, instantOrNull } from '../http/instant.js';
import type { CleanupDto, ConversationDto, WaitingDto } from './conversation.dto.js';

export function toConversation(c: ConversationView): ConversationDto {
  const { id, org, scope, title, url, workspace, session, state, status } = c;
  return {
    ...{ id, org, subject: { namespace: c.namespace, key: c.key }, scope, title, url, workspace, session, state },
    ...{ cleared_to: c.cleared_to, paused: c.paused === 1, tainted: c.tainted === 1 },
    terminal: state === 'terminal' ? { reason: c.reason ?? 'closed', revision: c.revision, at: instantOrNull(c.terminal_at) } : null,
    cleanup: state === 'terminal' ? cleanupOf(c) : null,
    status,
    queue: { held: c.held, pending: c.open - c.held - c.claimed, claimed: c.claimed, completed: c.made - c.open },
    waiting_for: waitingFor(c),
    control: controlOf(c),
    ...{ created_at: instant(c.created_at), updated_at: instant(c.updated_at) },
  };
}

function controlOf(c: ConversationView): ControlDto | null {
  const { control_connection: connection, control_parent: parent, control_title: title, control_state: state, control_fault: fault } = c;
  if (connection === null || parent === null || title === null || state === null) return null;
  return toControl({
    ...{ connection, parent, title, state, fault, thread: c.control_thread, url: c.control_url },
    ...{ fault_message: c.control_fault_message, fault_at: c.control_fault_at },
  });
}

function cleanupOf({ cleanup_open, cleanup_failure }: ConversationView): CleanupDto {
  const open = cleanup_failure === null ? 'waiting' : 'failing';
  return { state: cleanup_open > 0 ? open : 'done', failure: cleanup_failure };
}

function waitingFor(c: ConversationView): WaitingDto | null {
  const because = (reason: string, until: number | null = null) => ({ reason, until: instantOrNull(until), detail: c.head_failure });
  if (c.status === 'paused') return because('resume');
  if (c.status === 'waiting_approval') return because('approval');
  if (c.status === 'running' || c.open === 0) return null;
  if (c.parked !== null) return because(c.parked, c.parked === 'spent' ? c.ready_at : null);
  if (c.head_due_at !== null && c.head_due_at > c.now) return because((c.head_deferrals ?? 0) > 0 ? 'preparation' : 'retry', c.head_due_at);
  if (c.waking > 0 && c.ready_at !== null && c.ready_at > c.now) return because('quiet', c.ready_at);
  if (c.waking === 0) return c.ready_at === null ? because('waking_message') : because('later', c.ready_at);
  return because('worker');
}
