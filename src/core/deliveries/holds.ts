import { inChunks, marks, type Tx } from '../../database/tx.js';
import { completion, storedStep } from './delivery.js';

/** A delivery that was held until now. */
export interface Unheld {
  readonly conversation: string;
  readonly sequence: number;
  readonly receipt: number;
  readonly waking: number;
}

/** The conversations in which deliveries of these receipts are held. */
export async function heldConversations(tx: Tx, receipts: readonly number[]): Promise<string[]> {
  const found = new Set<string>();
  for (const part of inChunks(receipts, 1)) {
    const rows = await tx.all<{ conversation: string }>(
      `select distinct conversation from deliveries where receipt in (${marks(part.length)}) and state = 'held'`,
      part,
    );
    for (const { conversation } of rows) found.add(conversation);
  }
  return [...found].sort();
}

/** Completes what is held of these receipts, without a turn. What was completed otherwise meanwhile stays as it is. */
export async function suppressHeld(tx: Tx, receipts: readonly number[], reason: string): Promise<Unheld[]> {
  const { to, from } = completion('suppressed');
  return unhold(tx, receipts, from, `state = ${to}, outcome = 'suppressed', reason = ?, completed_at = ${tx.dialect.now}`, [reason]);
}

/** Lets what is held of these receipts wait for its turn, in its place. */
export async function releaseHeld(tx: Tx, receipts: readonly number[]): Promise<Unheld[]> {
  const { to, from } = storedStep('release');
  return unhold(tx, receipts, from, `state = ${to}`, []);
}

async function unhold(tx: Tx, receipts: readonly number[], from: string, set: string, values: readonly string[]): Promise<Unheld[]> {
  const changed: Unheld[] = [];
  for (const part of inChunks(receipts, 1))
    changed.push(
      ...(await tx.all<Unheld>(
        `update deliveries set ${set} where receipt in (${marks(part.length)}) and state in (${from}) returning conversation, sequence, receipt, waking`,
        [...values, ...part],
      )),
    );
  return changed;
}
