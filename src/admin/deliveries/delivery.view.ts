import { deliveryId } from '../../core/deliveries/delivery.js';
import type { DeliveryView } from '../../core/deliveries/list-deliveries.js';
import { instant, instantOrNull } from '../http/instant.js';
import type { DeliveryDto } from './delivery.dto.js';

export function toDelivery(d: DeliveryView): DeliveryDto {
  const { conversation, sequence, route, kind, state, outcome, reason, attempts, interruptions, failure, trust, source, event_key } = d;
  return {
    ...{ id: deliveryId(conversation, sequence), conversation, receipt: String(d.receipt), route, sequence, kind, state, outcome, reason },
    ...{ attempts, interruptions, due_at: instantOrNull(d.due_at), failure, trust, source, event_key },
    ...{ received_at: instant(d.received_at), completed_at: instantOrNull(d.completed_at) },
  };
}
