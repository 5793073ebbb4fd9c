import { conversationsForTurns, type TurnConversation } from '../core/conversations/conversations.js';
import type { Claim } from '../core/deliveries/claim.js';
import { type Claimed, type ClaimRequest, claimDeliveries } from '../core/deliveries/claim-deliveries.js';
import { type DeliveryContent, readContents } from '../core/deliveries/deliveries.js';
import { nextReadyAt } from '../core/deliveries/queues.js';
import type { Tx } from '../database/tx.js';

/** A claim with all that working on it needs. */
export interface Work {
  readonly claim: Claim;
  readonly conversation: TurnConversation;
  readonly contents: readonly DeliveryContent[];
}

export interface ClaimedWork extends Pick<Claimed, 'parked' | 'isMore'> {
  readonly work: readonly Work[];
  /** Where nothing was claimed: when the next queue is ready, by the database's clock. */
  readonly nextReady: { readonly now: number; readonly at: number | null } | null;
}

/** Claims and reads what was claimed, in one transaction. Null: this replica's lease has run out. */
export async function claimWork(tx: Tx, request: ClaimRequest): Promise<ClaimedWork | null> {
  const claimed = await claimDeliveries(tx, request);
  if (claimed === null) return null;
  const { parked, isMore, claims } = claimed;
  return { parked, isMore, work: await readWork(tx, claims), nextReady: claims.length === 0 ? await nextReadyAt(tx) : null };
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
