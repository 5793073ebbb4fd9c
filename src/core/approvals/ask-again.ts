import type { Tx } from '../../database/tx.js';
import { repeatPosts, slotOf } from '../controls/errands.js';
import { type AskedIn, forgetAsked } from './approvals.js';

/**
 * The thread of a conversation is another one: what waits for a person there is asked in the new one, and is decided in the one before no
 * more. Approvals are locked before errands. How many they are.
 */
export async function askAgain(tx: Tx, conversation: string, place: AskedIn): Promise<number> {
  const approvals = await forgetAsked(tx, conversation, place);
  await repeatPosts(
    tx,
    approvals.map((id) => slotOf(conversation, 'approval', id)),
    place.connection,
  );
  return approvals.length;
}
