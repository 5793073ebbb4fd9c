import { clock, type Tx } from '../../database/tx.js';
import type { Placement } from '../controls/control.js';
import { slotOf } from '../controls/errands.js';
import { type Post, putPosts } from '../controls/posts.js';
import { withoutHalf } from '../controls/title.js';
import { readStanding } from '../conversations/standings.js';
import type { ApprovalRow } from './approvals.js';

/** Shows people how an approval stands, in the transaction that makes it so. */
export type ShowApproval = (tx: Tx, row: ApprovalRow) => Promise<void>;

/** Room for what stands around the body. */
const AROUND = 700;
const TITLE_UNITS = 200;
const FENCES = 100;

/** In the thread of its conversation, where that has one: one message, which always says how it stands. */
export function inThread(placementOf: (org: string, workspace: string) => Placement | null): ShowApproval {
  return async (tx, row) => {
    const standing = await readStanding(tx, row.conversation);
    const placement = standing && placementOf(standing.org, standing.workspace);
    if (standing === null || placement === null || standing.state === 'terminal') return;
    const { org, workspace } = standing;
    const post = approvalPost(row, placement.limits.text);
    await putPosts(tx, { conversation: row.conversation, org, workspace, placement }, [post], await clock(tx));
  };
}

export function approvalPost(row: ApprovalRow, limit: number): Post {
  const { id, conversation, state } = row;
  const slot = slotOf(conversation, 'approval', id);
  const title = withoutHalf(row.title.replace(/\s+/g, ' ').slice(0, TITLE_UNITS));
  if (state !== 'pending') return { slot, text: `${outcomeOf(row)}: ${title}`, isApproval: true };
  const decide = (decision: 'approve' | 'deny') => ({ type: 'decision', approval: id, decision }) as const;
  return {
    slot,
    text: `**A person is asked:** ${title}\n\n${fenced(row.body.toString('utf8'), Math.max(0, limit - AROUND))}\nUntil ${new Date(row.expires_at).toISOString()}.`,
    isApproval: true,
    buttons: [
      { label: 'Approve', style: 'primary', action: decide('approve') },
      { label: 'Deny', style: 'danger', action: decide('deny') },
    ],
  };
}

/** Whoever cannot see all of it is told so: what is allowed is all of it. A fence is longer than what is within, and counts, too. */
function fenced(body: string, room: number, most = room): string {
  const shown = withoutHalf(body.slice(0, most));
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  if (shown.length + 2 * ticks.length > room + FENCES) return fenced(body, room, Math.floor(room / 3));
  const rest = body.length - shown.length;
  const more = rest === 0 ? '' : `\n**${rest} more characters are not shown here; read them at \`GET /v1/approvals\` before you decide.**`;
  return `${ticks}\n${shown}\n${ticks}${more}`;
}

function outcomeOf({ state, decided_by: by, reason }: ApprovalRow): string {
  switch (state) {
    case 'approved':
      return `Approved by ${by}`;
    case 'executed':
      return `Approved by ${by}, and done`;
    case 'failed':
      return `Approved by ${by}, and not done (${reason})`;
    case 'denied':
      return `Denied by ${by}`;
    case 'expired':
      return 'Expired: nobody decided in time';
    default:
      return 'No longer asked';
  }
}
