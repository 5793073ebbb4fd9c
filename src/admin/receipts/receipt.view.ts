import { deliveryId } from '../../core/deliveries/delivery.js';
import type { ConflictView, ReceiptContent, ReceiptView } from '../../core/receipts/list-receipts.js';
import type { StoredDecision } from '../../core/receipts/receipts.js';
import type { Parsed } from '../../plugin/index.js';
import { instant } from '../http/instant.js';
import { type DecisionDetail, decisionDetail } from './decision-detail.js';
import type { CandidateDto, ConflictDto, DecisionDto, ReceiptDetailDto, ReceiptDto } from './receipt.dto.js';

export function toReceipt(r: ReceiptView): ReceiptDto {
  const { org, provider, source, delivery_id, event_key, disposition, reason, matched, duplicates, conflicts, payload_size } = r;
  return {
    ...{
      id: String(r.id),
      org,
      provider,
      source,
      delivery_id,
      event_key,
      received_at: instant(r.received_at),
      disposition,
      reason,
      matched,
    },
    ...{ repeats: { duplicates, conflicts }, secret_index: r.secret_index < 0 ? null : r.secret_index },
    ...{ payload_size, payload_cut: r.payload_cut === 1 },
  };
}

export function toReceiptDetail(
  r: ReceiptView & ReceiptContent,
  decisions: readonly StoredDecision[],
  conflicts: readonly ConflictView[],
  withPayload: boolean,
): ReceiptDetailDto {
  const parsed = JSON.parse(r.parsed) as Parsed;
  const told = decisions.map(toDecision);
  return {
    ...toReceipt(r),
    subject: parsed.subject && { namespace: parsed.subject.namespace, key: parsed.subject.key },
    title: parsed.title ?? null,
    decisions: told,
    candidates: told.at(-1)?.candidates ?? [],
    conflicts: conflicts.map(toConflict),
    ...payloadOf(withPayload ? r.payload : null),
  };
}

function toConflict({ content_hash, payload_size, count, first_at, last_at }: ConflictView): ConflictDto {
  return { content_hash: content_hash.toString('hex'), payload_size, count, first_at: instant(first_at), last_at: instant(last_at) };
}

function toDecision({ number, decided_at, decided_by, disposition, reason, matched, detail }: StoredDecision): DecisionDto {
  const { verdicts, refusals, effects } = decisionDetail(detail);
  return {
    number,
    at: instant(decided_at),
    by: decided_by,
    disposition,
    reason,
    matched,
    effects,
    candidates: candidatesOf({ verdicts, refusals, effects }),
  };
}

function candidatesOf({ verdicts, refusals }: DecisionDetail): CandidateDto[] {
  const took = verdicts.map(({ route, conversation, sequence, disposition, reason, run = null }) => {
    const delivery = conversation !== null && sequence !== null ? deliveryId(conversation, sequence) : null;
    return { route, matched: true, disposition, reason, detail: null, conversation, delivery, run };
  });
  const refused = refusals.map(({ route, reason, detail: compared }) => {
    return { route, matched: false, disposition: null, reason, detail: compared, conversation: null, delivery: null, run: null };
  });
  return [...took, ...refused];
}

function payloadOf(payload: Buffer | null): Pick<ReceiptDetailDto, 'payload' | 'payload_encoding'> {
  if (payload === null) return { payload: null, payload_encoding: null };
  const text = payload.toString('utf8');
  // Only text that gives the same bytes again may stand for them.
  if (Buffer.from(text, 'utf8').equals(payload)) return { payload: text, payload_encoding: 'utf8' };
  return { payload: payload.toString('base64'), payload_encoding: 'base64' };
}
