import { conversationsForTurns, type TurnConversation } from '../core/conversations/conversations.js';
import type { Claim } from '../core/deliveries/claim.js';
import { type Claimed, type ClaimRequest, claimDeliveries } from '../core/deliveries/claim-deliveries.js';
import { type DeliveryContent, readContents } from '../core/deliveries/deliveries.js';
import type { Tx } from '../database/tx.js';

/** A claim with all that working on it needs. */
export interface Work {
  readonly claim: Claim;
  readonly conversation: TurnConversation;
  readonly contents: readonly DeliveryContent[];
}

export interface ClaimedWork extends Pick<Claimed, 'parked' | 'isMore'> {
  readonly work: readonly Work[];
}

/** Claims and reads what was claimed, in one transaction. Null: this replica's lease has run out. */
export async function claimWork(tx: Tx, request: ClaimRequest): Promise<ClaimedWork | null> {
  const claimed = await claimDeliveries(tx, request);
  return claimed && { parked: claimed.parked, isMore: claimed.isMore, work: await readWork(tx, claimed.claims) };
}

async function readWork(tx: Tx, claims: readonly Claim[]): Promise<Work[]> {
  if (claims.length === 0) return [];
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
