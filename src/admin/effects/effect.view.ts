import { deliveryId } from '../../core/deliveries/delivery.js';
import type { EffectOutcome } from '../../core/effects/end-effect.js';
import type { EffectView, WaitingDelivery } from '../../core/effects/list-effects.js';
import type { EvidenceIds, Parsed } from '../../plugin/index.js';
import { instant, instantOrNull } from '../http/instant.js';
import type { EffectCandidateDto, EffectDetailDto, EffectDto, ReconciledDto } from './effect.dto.js';

export function toEffect(e: EffectView): EffectDto {
  const { id, provider, source, tool, account, kind, action, namespace, key, conversation, reason, marker, reads } = e;
  return {
    ...{ id, provider, source, tool, scope: { account, kind, action } },
    subject: namespace !== null && key !== null ? { namespace, key } : null,
    ...{ conversation, status: e.state, reason, marker, request: e.request.toString('hex') },
    evidence: e.evidence_ids === null ? null : (JSON.parse(e.evidence_ids) as EvidenceIds),
    held_deliveries: e.held,
    ...{ created_at: instant(e.created_at), attempted_at: instantOrNull(e.executing_at), resolved_at: instantOrNull(e.resolved_at) },
    ...{ resolved_by: e.resolved_by, resolved_why: e.resolved_why, reads, next_read_at: instantOrNull(e.next_read_at) },
  };
}

export function toEffectDetail(effect: EffectView, waiting: readonly WaitingDelivery[]): EffectDetailDto {
  const byReceipt = Map.groupBy(waiting, ({ receipt }) => receipt);
  const held = waiting.filter(({ state }) => state === 'held');
  return {
    ...toEffect(effect),
    candidates: [...byReceipt.values()].flatMap(toCandidate),
    blocked_conversations: [...new Set(held.map(({ conversation }) => conversation))],
  };
}

function toCandidate(deliveries: readonly WaitingDelivery[]): EffectCandidateDto[] {
  const [one] = deliveries;
  if (!one) return [];
  const { source, delivery_id, event_key } = one;
  const shown = deliveries.map(({ conversation, sequence, state, behind }) => {
    return { delivery: deliveryId(conversation, sequence), conversation, state, behind };
  });
  const { evidence } = JSON.parse(one.parsed) as Parsed;
  return [
    {
      ...{ receipt: String(one.receipt), source, delivery_id, event_key, held_at: instant(one.held_at) },
      ...{ evidence: evidence?.ids ?? null, deliveries: shown },
    },
  ];
}

export function toReconciled({ effect, released, suppressed }: EffectOutcome): ReconciledDto {
  return { status: effect.state, released_deliveries: released.length, suppressed_deliveries: suppressed.length };
}
