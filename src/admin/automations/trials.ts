import { PayloadUnavailable } from '../../core/admission/payload-unavailable.js';
import type { AdmissibleEvent } from '../../core/admission/plan-admission.js';
import { storedEvent } from '../../core/admission/stored-event.js';
import { generationName } from '../../core/automations/automation.js';
import type { Listening } from '../../core/automations/triggers.js';
import { type Trial, tryTriggers } from '../../core/automations/try-triggers.js';
import { automationConversationId } from '../../core/conversations/conversation-id.js';
import type { StoredReceipt } from '../../core/receipts/receipts.js';
import { instant } from '../http/instant.js';
import type { TrialDto } from './dry-run.dto.js';

/** What an automation would make of a stored event, as far as that can still be said. */
export function trialOfReceipt(automation: Listening, receipt: StoredReceipt): TrialDto {
  const origin = {
    receipt: String(receipt.id),
    source: receipt.source,
    event: receipt.event_key,
    received_at: instant(receipt.received_at),
  };
  try {
    return { ...origin, ...shown(automation, storedEvent(receipt, readsPayload(automation))) };
  } catch (error) {
    if (!(error instanceof PayloadUnavailable)) throw error;
    const nothing = { trigger: null, subject: null, conversation: null, text: null };
    return { ...origin, ...nothing, matched: false, reason: error.code, detail: error.message };
  }
}

export function trialOfSample(automation: Listening, sample: AdmissibleEvent): TrialDto {
  return { receipt: null, source: sample.source, event: sample.eventKey, received_at: null, ...shown(automation, sample) };
}

function readsPayload({ spec }: Listening): boolean {
  return spec.triggers.some((each) => each.type === 'event' && (each.filter ?? each.subject_key_expr ?? each.turn_text_expr) !== null);
}

type Shown = Omit<Trial, 'subject'> & Pick<TrialDto, 'subject' | 'conversation'>;

function shown(automation: Listening, event: AdmissibleEvent): Shown {
  const { subject, ...trial } = tryTriggers(automation, event);
  const { id, org, generation } = automation;
  const conversation = subject === null ? null : automationConversationId(org, generationName(id, generation), event.source, subject.key);
  return { ...trial, subject: subject && { namespace: subject.namespace, key: subject.key }, conversation };
}
