import { deliveryId } from '../../core/deliveries/delivery.js';
import type { LogRow } from '../../core/runs/run-logs.js';
import type { RunRow } from '../../core/runs/run-rows.js';
import { instant, instantOrNull } from '../http/instant.js';
import type { LogDto, ReportedDto, RunDto } from './run.dto.js';

export function toRun(r: RunRow): RunDto {
  const { id, version, generation, state, phase, cause, subject, no_subject, attempt, sandbox, cost_usd, error, detail } = r;
  return {
    ...{ id, automation_id: r.automation, version, generation, state, phase, cause, conversation_id: r.conversation },
    delivery: r.sequence === null ? null : deliveryId(r.conversation, r.sequence),
    ...{ subject, no_subject, receipt: r.receipt === null ? null : String(r.receipt), slot: instantOrNull(r.slot) },
    ...{ attempt, sandbox, cost_usd, error, detail, timed_out: r.timed_out === 1 },
    ...{ metadata: parsed(r.metadata), inputs: parsed(r.inputs), created_at: instant(r.created_at) },
    ...{ started_at: instantOrNull(r.started_at), opened_at: instantOrNull(r.opened_at), deadline_at: instantOrNull(r.deadline_at) },
    ...{ ended_at: instantOrNull(r.ended_at), subject_released_at: instantOrNull(r.released_at) },
  };
}

export function toReported({ id, state, phase }: RunRow): ReportedDto {
  return { id, state, phase };
}

export function toLog({ number, at, kind, body }: LogRow): LogDto {
  return { number, at: instant(at), kind, body };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
