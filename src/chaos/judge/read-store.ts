import { deliveryId } from '../../core/deliveries/delivery.js';
import { first, type Tx } from '../../database/tx.js';
import { brokenRules } from '../invariants.js';
import type { ChaosStore } from '../store.js';
import type { StoredDelivery } from './judge.js';

/** Every delivery as it ended, and the rules of the store that do not hold. */
export async function readStore(store: ChaosStore): Promise<{ stored: StoredDelivery[]; broken: string[] }> {
  const database = await store.open();
  try {
    const stored = await database.transaction(storedDeliveries);
    return { stored, broken: await brokenRules(database) };
  } finally {
    await database.close();
  }
}

/** How many conversations have something left to do. */
export async function openConversations(tx: Tx): Promise<number> {
  return (await first<{ open: number }>(tx, 'select count(*) as open from queues where open > 0'))?.open ?? 0;
}

async function storedDeliveries(tx: Tx): Promise<StoredDelivery[]> {
  const rows = await tx.all<{ conversation: string; sequence: number; kind: string; outcome: string | null }>(
    'select conversation, sequence, kind, outcome from deliveries order by conversation, sequence',
  );
  return rows.map(({ conversation, sequence, kind, outcome }) => ({ id: deliveryId(conversation, sequence), kind, outcome }));
}
