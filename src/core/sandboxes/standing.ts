import type { Tx } from '../../database/tx.js';

/** Those of these conversations that stand open in a sandbox, be it a paused one: messages reach them without a run. */
export async function standingIn(tx: Tx, conversations: readonly string[]): Promise<string[]> {
  if (conversations.length === 0) return [];
  const rows = await tx.all<{ conversation: string }>(
    `select conversation from sandboxes
      where conversation ${tx.dialect.among('uuid')} and state in ('creating', 'ready', 'paused') and state <> 'creating'`,
    [conversations],
  );
  return rows.map(({ conversation }) => conversation);
}
