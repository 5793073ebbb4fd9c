import { conversationsForTurns, type TurnConversation } from '../core/conversations/conversations.js';
import type { Claim } from '../core/deliveries/claim.js';
import { type ClaimRequest, claimDeliveries } from '../core/deliveries/claim-deliveries.js';
import { type DeliveryContent, readContents } from '../core/deliveries/deliveries.js';
import type { Tx } from '../database/tx.js';

/** A claim with all that working on it needs. */
export interface Work {
  readonly claim: Claim;
  readonly conversation: TurnConversation;
  readonly contents: readonly DeliveryContent[];
}

/** Claims and reads what was claimed, in one transaction. Null: this replica's lease has run out. */
export async function claimWork(tx: Tx, request: ClaimRequest): Promise<Work[] | null> {
  const claims = await claimDeliveries(tx, request);
  if (claims === null || claims.length === 0) return claims === null ? null : [];
  const conversations = new Map(
    (
      await conversationsForTurns(
        tx,
        claims.map(({ conversation }) => conversation),
      )
    ).map((row) => [row.id, row]),
  );
  const contents = Map.groupBy(await readContents(tx, claims), ({ conversation }) => conversation);
  return claims.flatMap((claim) => {
    const conversation = conversations.get(claim.conversation);
    return conversation ? [{ claim, conversation, contents: contents.get(claim.conversation) ?? [] }] : [];
  });
}
