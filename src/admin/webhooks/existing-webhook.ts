import { findWebhook, type Webhook } from '../../core/webhooks/webhooks.js';
import type { Tx } from '../../database/tx.js';
import { NotFound } from '../../plugin/index.js';

/** Throws `NotFound` for what does not exist, was deleted, or is another organisation's: all three are answered alike. */
export async function existingWebhook(tx: Tx, org: string, id: string): Promise<Webhook> {
  const found = await findWebhook(tx, org, id);
  if (found === null) throw new NotFound(`There is no webhook ${id}.`);
  return found;
}
