import type { ApprovalRow } from './approvals.js';

/** What its agent is told of the end of an approval; null: nothing, for it knows, or is not to be woken for it. */
export function outcomeText(row: ApprovalRow): string | null {
  const { id, kind, state, title, reason, decided_by: by, decided_why: why, result } = row;
  const about = `approval ${id} (${title})`;
  const because = why === null ? '' : ` Their reason: ${why}`;
  switch (state) {
    case 'executed':
      if (kind === 'write') return `The ${about} was given by ${by}, and it is done: ${result ?? '{}'}.${because}`;
      return `The ${about} that you asked for in an earlier turn was given by ${by} now.${because} What it allows is:\n\n${row.body.toString('utf8')}`;
    case 'failed':
      return `The ${about} was given by ${by}, but it was not done: ${reason}.`;
    case 'denied':
      return kind === 'write' ? `The ${about} was denied by ${by}. Nothing was written.${because}` : null;
    case 'expired':
      return kind === 'write' ? `Nobody decided in time about the ${about}. Nothing was written.` : null;
    default:
      return null;
  }
}
