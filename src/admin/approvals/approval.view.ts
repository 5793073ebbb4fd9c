import type { ApprovalRow } from '../../core/approvals/approvals.js';
import { turnId } from '../../core/turns/turn.js';
import { instant, instantOrNull } from '../http/instant.js';
import type { ApprovalDto, ApprovalScopeDto } from './approval.dto.js';

export function toApproval(a: ApprovalRow & { readonly shown?: string }): ApprovalDto {
  const { id, kind, conversation, token, route, source, provider, tool, title, body, reason, effect } = a;
  return {
    ...{ id, kind, conversation, turn: token === null ? null : turnId(conversation, token) },
    ...{ route, connection: source, provider, tool, title, body: body.toString('utf8'), body_sha256: a.body_hash.toString('hex') },
    destination: a.scope === null ? null : (JSON.parse(a.scope) as ApprovalScopeDto),
    asked_in: a.asked_connection === null || a.asked_thread === null ? null : { connection: a.asked_connection, thread: a.asked_thread },
    ...{ state: a.shown ?? a.state, reason, effect, result: a.result === null ? null : (JSON.parse(a.result) as unknown) },
    ...{ created_at: instant(a.created_at), expires_at: instant(a.expires_at), waits_until: instantOrNull(a.waits_until) },
    ...{
      decided_at: instantOrNull(a.decided_at),
      decided_by: a.decided_by,
      decided_why: a.decided_why,
      ended_at: instantOrNull(a.ended_at),
    },
  };
}
