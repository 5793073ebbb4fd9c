import { type Automation, findAutomation } from '../../core/automations/automations.js';
import type { Tx } from '../../database/tx.js';
import { NotFound } from '../../plugin/index.js';

/** Throws `NotFound` for what does not exist, was deleted, or is another organisation's: all three are answered alike. */
export async function existingAutomation(tx: Tx, org: string, id: string): Promise<Automation> {
  const found = await findAutomation(tx, id);
  if (found === null || found.org !== org) throw new NotFound(`There is no automation ${id}.`);
  return found;
}
