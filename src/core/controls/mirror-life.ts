import { marks, type Tx } from '../../database/tx.js';
import { closeBindings, reopenBindings } from './bindings.js';
import { insertErrands, type NewErrand, slotOf } from './errands.js';

/** Closes the threads of conversations in the transaction that ends them; what waits to be posted is posted first. */
export async function mirrorEnds(
  tx: Tx,
  ends: readonly { readonly conversation: string; readonly ending: number }[],
  now: number,
): Promise<void> {
  const endings = new Map(ends.map(({ conversation, ending }) => [conversation, ending]));
  const closed = await closeBindings(tx, [...endings.keys()]);
  const errands = closed.map(({ conversation, org, connection }): NewErrand<'archive'> => {
    const ending = endings.get(conversation) ?? 0;
    const slot = slotOf(conversation, 'archive', ending);
    return { conversation, org, connection, lane: conversation, kind: 'archive', slot, body: { ending } };
  });
  await insertErrands(tx, errands, now);
}

/** Opens the threads again; behind the archiving of the end before, which may still be under way. */
export async function mirrorReopenings(tx: Tx, conversations: readonly string[], now: number): Promise<void> {
  const opened = (await reopenBindings(tx, conversations)).filter(({ thread }) => thread !== null);
  if (opened.length === 0) return;
  const ids = opened.map(({ conversation }) => conversation);
  const rows = await tx.all<{ id: string; ending: number }>(`select id, ending from conversations where id in (${marks(ids.length)})`, ids);
  const endings = new Map(rows.map(({ id, ending }) => [id, ending]));
  const errands = opened.map(({ conversation, org, connection }): NewErrand<'unarchive'> => {
    const slot = slotOf(conversation, 'unarchive', endings.get(conversation) ?? 0);
    return { conversation, org, connection, lane: conversation, kind: 'unarchive', slot, body: {} };
  });
  await insertErrands(tx, errands, now);
}
