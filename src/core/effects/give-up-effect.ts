import type { Tx } from '../../database/tx.js';
import { lockEffect, markNeverSent, markUnknown } from './effects.js';
import { FIRST_READ_MS } from './end-effect.js';

/** What an owner had begun that is gone: what was only prepared was never sent, and nobody knows of what was being sent. */
export async function giveUpEffect(tx: Tx, id: string, dead: readonly number[]): Promise<number> {
  const effect = await lockEffect(tx, id);
  if (effect === null || !dead.includes(effect.owner)) return 0;
  return (await markNeverSent(tx, id)) + (await markUnknown(tx, id, FIRST_READ_MS));
}
