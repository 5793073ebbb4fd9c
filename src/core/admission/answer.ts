import { deliveryId } from '../deliveries/delivery.js';
import type { Decision, Verdict } from './decision.js';
import type { AdmissionAnswer, AnsweredDelivery } from './event.js';

function continuedBy({ conversation, continued }: Verdict): string[] {
  return continued && conversation !== null ? [conversation] : [];
}

/** The public answer, from a decision just made or from a stored one. */
export function answer(receipt: number, decision: Decision, duplicate = false): AdmissionAnswer {
  const deliveries: AnsweredDelivery[] = decision.verdicts.flatMap(({ route, conversation, sequence, disposition }) =>
    conversation !== null && sequence !== null
      ? [
          {
            route,
            conversation,
            delivery: deliveryId(conversation, sequence),
            sequence,
            state: disposition === 'held' ? 'held' : 'pending',
          },
        ]
      : [],
  );
  return {
    received: true,
    duplicate,
    receipt: String(receipt),
    disposition: decision.disposition,
    reason: decision.reason,
    matched: decision.matched,
    deliveries,
    runs_created: decision.verdicts.flatMap(({ run, sequence }) => (run !== undefined && sequence !== null ? [run] : [])),
    conversations_continued: [...new Set(decision.verdicts.flatMap(continuedBy))],
  };
}
