import { DISPOSITIONS } from '../../core/admission/event.js';
import type { TimelineRow } from '../../core/conversations/list-timeline.js';
import { deliveryId } from '../../core/deliveries/delivery.js';
import type { TranscriptView, TurnView } from '../../core/turns/list-turns.js';
import { turnId } from '../../core/turns/turn.js';
import { instant, instantOrNull } from '../http/instant.js';
import { decisionDetail } from '../receipts/decision-detail.js';
import type { TimelineEntryDto, TimelineVerdictDto, TranscriptEntryDto, TurnDto } from './history.dto.js';

export function toTimelineEntry(conversation: string, row: TimelineRow): TimelineEntryDto {
  const verdicts = verdictsFor(conversation, row);
  const here = weightiest(verdicts);
  return {
    at: instant(row.at),
    kind: row.entry,
    by: row.actor,
    // What was decided about this conversation says more here than what was decided about the event as a whole.
    what: here?.disposition ?? row.what,
    reason: here ? here.reason : row.reason,
    receipt: row.receipt === null ? null : String(row.receipt),
    delivery: row.sequence === null ? null : deliveryId(conversation, row.sequence),
    turn: row.token === null ? null : turnId(conversation, row.token),
    verdicts,
  };
}

function verdictsFor(conversation: string, { detail }: TimelineRow): TimelineVerdictDto[] {
  if (detail === null) return [];
  const own = decisionDetail(detail).verdicts.filter((verdict) => verdict.conversation === conversation);
  return own.map(({ route, disposition, reason }) => ({ route, disposition, reason }));
}

/** A conversation may have several verdicts on one event; what became of the event there is the first that applies. */
function weightiest(verdicts: readonly TimelineVerdictDto[]): TimelineVerdictDto | undefined {
  const order: readonly string[] = DISPOSITIONS;
  return verdicts.toSorted((a, b) => order.indexOf(a.disposition) - order.indexOf(b.disposition))[0];
}

export function toTurn(t: TurnView): TurnDto {
  const { state, from_sequence, to_sequence, attempt, session, result, error, detail, cost_usd } = t;
  return {
    ...{ id: turnId(t.conversation, t.token), state, from_sequence, to_sequence, attempt, session, result, error, detail, cost_usd },
    ...{ started_at: instant(t.started_at), ended_at: instantOrNull(t.ended_at) },
  };
}

export function toTranscriptEntry(conversation: string, e: TranscriptView): TranscriptEntryDto {
  return { turn: turnId(conversation, e.token), number: e.number, at: instant(e.said_at), kind: e.kind, body: parsedOrText(e.body) };
}

/** What was too long was cut when it was stored, and is JSON no more. */
function parsedOrText(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}
