import { conversationsForTurns, type TurnConversation } from '../core/conversations/conversations.js';
import type { Claim } from '../core/deliveries/claim.js';
import { type Claimed, type ClaimRequest, claimDeliveries } from '../core/deliveries/claim-deliveries.js';
import { type DeliveryContent, readContents } from '../core/deliveries/deliveries.js';
import { type NextReady, nextReadyAt } from '../core/deliveries/queues.js';
import type { Tx } from '../database/tx.js';

/** A claim with all that working on it needs. */
export interface Work {
  readonly claim: Claim;
  readonly conversation: TurnConversation;
  readonly contents: readonly DeliveryContent[];
}

export interface ClaimedWork extends Pick<Claimed, 'parked' | 'isMore'> {
  readonly work: readonly Work[];
  /** When the next queue is to be looked at that is not yet. */
  readonly next: NextReady;
}

/** Claims and reads what was claimed, in one transaction. Null: this replica's lease has run out. */
export async function claimWork(tx: Tx, request: ClaimRequest): Promise<ClaimedWork | null> {
  const claimed = await claimDeliveries(tx, request);
  if (claimed === null) return null;
  const [work, next] = await Promise.all([readWork(tx, claimed.claims), nextReadyAt(tx)]);
  return { parked: claimed.parked, isMore: claimed.isMore, work, next };
}

async function readWork(tx: Tx, claims: readonly Claim[]): Promise<Work[]> {
  if (claims.length === 0) return [];
  const ids = claims.map(({ conversation }) => conversation);
  const [rows, read] = await Promise.all([conversationsForTurns(tx, ids), readContents(tx, claims)]);
  const conversations = new Map(rows.map((row) => [row.id, row]));
  const contents = Map.groupBy(read, ({ conversation }) => conversation);
  return claims.flatMap((claim) => {
    const conversation = conversations.get(claim.conversation);
    return conversation ? [{ claim, conversation, contents: contents.get(claim.conversation) ?? [] }] : [];
  });
}
