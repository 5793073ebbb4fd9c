import type { ConversationView } from '../../core/conversations/list-conversations.js';

/** How a conversation is, in a line for a person. */
export function statusText(view: ConversationView): string {
  const { state, reason, status, open, claimed, parked, head_failure: failure } = view;
  if (state === 'terminal') return `Closed (${reason ?? 'closed'}).`;
  const waiting = open - claimed;
  const parts = [
    parked === null ? status : `${status} (${parked})`,
    claimed > 0 ? `${claimed} being worked on` : null,
    waiting > 0 ? `${waiting} waiting` : null,
    failure === null || open === 0 ? null : `last failure: ${failure}`,
  ];
  return `Open: ${parts.filter((part) => part !== null).join(', ')}.`;
}
