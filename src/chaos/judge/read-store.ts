import { deliveryId } from '../../core/deliveries/delivery.js';
import { turnId } from '../../core/turns/turn.js';
import { first, type Tx } from '../../database/tx.js';
import { brokenRules } from '../invariants.js';
import type { ChaosStore } from '../store.js';
import type { Evidence, StoredDelivery } from './judge.js';

/** Every delivery as it ended, and the rules of the store that do not hold. */
export async function readStore(store: ChaosStore): Promise<Pick<Evidence, 'stored' | 'isDone' | 'left' | 'broken'>> {
  const database = await store.open();
  try {
    const stored = await database.transaction(storedDeliveries);
    const done = new Set(await database.transaction(doneTurns));
    const jobs = await database.transaction((tx) => tx.all<{ conversation: string; kind: string }>(OPEN_JOBS));
    const left = jobs.map(({ conversation, kind }) => `${kind} of ${conversation} is not done`);
    return { stored, isDone: (turn) => done.has(turn), left, broken: await brokenRules(database) };
  } finally {
    await database.close();
  }
}

const OPEN_JOBS = "select conversation, kind from jobs where state in ('waiting', 'running')";

/** Whether a conversation has something left to do, or its end has. */
export async function isAtRest(tx: Tx): Promise<boolean> {
  const queue = await first(tx, 'select conversation from queues where open > 0 limit 1');
  return queue === null && (await first(tx, `${OPEN_JOBS} limit 1`)) === null;
}

async function doneTurns(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ conversation: string; token: number }>("select conversation, token from turns where state = 'done'");
  return rows.map(({ conversation, token }) => turnId(conversation, token));
}

async function storedDeliveries(tx: Tx): Promise<StoredDelivery[]> {
  const rows = await tx.all<{ conversation: string; sequence: number; kind: string; outcome: string | null }>(
    'select conversation, sequence, kind, outcome from deliveries order by conversation, sequence',
  );
  return rows.map(({ conversation, sequence, kind, outcome }) => ({ id: deliveryId(conversation, sequence), kind, outcome }));
}
