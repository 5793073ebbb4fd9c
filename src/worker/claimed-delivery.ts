import type { TurnConversation } from '../core/conversations/conversations.js';
import type { DeliveryContent } from '../core/deliveries/deliveries.js';
import type { ClaimedDelivery, DeliveryConversation, DeliveryIdentity, Parsed } from '../plugin/index.js';

/** A delivery as plugins see it. */
export function claimedDelivery(conversation: TurnConversation, content: DeliveryContent): ClaimedDelivery {
  return {
    identity: identityOf(content),
    conversation: conversationOf(conversation),
    sequence: content.sequence,
    eventKey: content.event_key,
    parsed: JSON.parse(content.parsed) as Parsed,
    receivedAt: new Date(content.received_at).toISOString(),
  };
}

export function identityOf({ org, provider, source, delivery_id }: DeliveryContent): DeliveryIdentity {
  return { org, provider, source, deliveryId: delivery_id };
}

export function conversationOf({ id, namespace, key, title }: TurnConversation): DeliveryConversation {
  return { id, namespace, key, title };
}
