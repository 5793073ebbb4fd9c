import type { Tx } from '../../database/tx.js';
import { quoted } from '../machine.js';
import { HELD, STANDING } from './sandbox.js';

/** Those of these conversations that stand open in a sandbox, be it a paused one that nobody wants removed: messages reach them without a run. */
export async function standingIn(tx: Tx, conversations: readonly string[]): Promise<string[]> {
  if (conversations.length === 0) return [];
  // The first condition is that of the index, which knows one of a conversation.
  const rows = await tx.all<{ conversation: string }>(
    `select conversation from sandboxes
      where conversation ${tx.dialect.among('uuid')} and state in (${quoted(HELD)}) and state in (${quoted(STANDING)}) and delete_at is null`,
    [conversations],
  );
  return rows.map(({ conversation }) => conversation);
}
