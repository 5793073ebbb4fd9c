import { type Insertion, marks, type Tx } from '../../database/tx.js';
import { BEING_MADE } from './bindings.js';
import type { ThreadPlace } from './control.js';

/** A message out of a thread that may be one of a conversation's whose binding is not written down yet. */
export interface EarlyMessage extends ThreadPlace {
  readonly receipt: number;
}

const EARLY: Insertion = {
  table: 'early_messages',
  columns: { receipt: 'bigint', org: 'text', connection: 'text', thread: 'text', arrived_at: 'bigint' },
};

export async function insertEarly(tx: Tx, messages: readonly EarlyMessage[], now: number): Promise<void> {
  if (messages.length === 0) return;
  await tx.insert(
    EARLY,
    messages.map(({ receipt, org, connection, thread }) => [receipt, org, connection, thread, now]),
  );
}

/** Those whose thread is known by now, or need be waited for no longer, in the order of their arrival. */
export async function settledEarly(
  tx: Tx,
  { mostMs, limit }: { readonly mostMs: number; readonly limit: number },
): Promise<{ receipt: number; org: string }[]> {
  const here = 'b.org = m.org and b.connection = m.connection';
  return tx.all(
    `select m.receipt, m.org from early_messages m
      where m.arrived_at <= ${tx.dialect.now} - ? or exists (select 1 from control_bindings b where ${here} and b.thread = m.thread)
         or not exists (select 1 from control_bindings b where ${here} and ${BEING_MADE})
      order by m.receipt limit ?`,
    [mostMs, limit],
  );
}

/** How many of them had waited until now. */
export function deleteEarly(tx: Tx, receipts: readonly number[]): Promise<number> {
  return tx.run(`delete from early_messages where receipt in (${marks(receipts.length)})`, [...receipts]);
}
