import { UNOBSERVED } from '../../../src/core/conversations/conversation.js';
import { identify } from '../../../src/core/conversations/conversation-id.js';
import { insertConversations } from '../../../src/core/conversations/conversations.js';
import { insertDeliveries, type NewDelivery } from '../../../src/core/deliveries/deliveries.js';
import { append, emptyQueue } from '../../../src/core/deliveries/queue.js';
import { insertQueues } from '../../../src/core/deliveries/queues.js';
import { contentHash, identityHash } from '../../../src/core/receipts/receipt.js';
import { insertDecisions, insertReceipts, type NewReceipt } from '../../../src/core/receipts/receipts.js';
import type { Database } from '../../../src/database/database.js';
import { clock, type Tx } from '../../../src/database/tx.js';
import { subject } from '../builders.js';

/** A backlog: so many conversations, in each of which every one of so many receipts has a delivery. */
export async function seed(database: Database, conversations: number, each: number): Promise<void> {
  await database.transaction(async (tx) => {
    const now = await clock(tx);
    const identities = Array.from({ length: conversations }, (_, i) => identify('default', subject(`S-${i}`), { scope: 'subject' }));
    const queues = identities.map(({ id }) => emptyQueue(id, 'default', 'main'));
    for (const receipt of await receipts(tx, each, now)) {
      const deliveries = queues.map((queue) =>
        delivery(queue.conversation, append(queue, { waking: true, wakeAt: null, debounceMs: null }, now), receipt),
      );
      await insertDeliveries(tx, deliveries, now);
    }
    await insertQueues(tx, queues);
    const placed = { lifecycle: 'follow', route: 'triage', workspace: 'main', tainted: 0, title: null, url: null } as const;
    const made = identities.map(({ scopeName, ...identity }) => ({
      ...identity,
      scope_name: scopeName,
      ...placed,
      ...UNOBSERVED,
      state: 'open' as const,
    }));
    await insertConversations(tx, made, now);
  });
}

async function receipts(tx: Tx, count: number, now: number): Promise<number[]> {
  const made = await insertReceipts(
    tx,
    Array.from({ length: count }, (_, i) => receipt(`seeded-${i}`)),
  );
  const decision = {
    number: 0,
    decided_at: now,
    decided_by: 'accept',
    disposition: 'routed',
    reason: null,
    matched: 1,
    detail: '{"verdicts":[],"refusals":[]}',
  };
  await insertDecisions(
    tx,
    made.map(({ id }) => ({ ...decision, receipt: id })),
  );
  return made.map(({ id }) => id);
}

function receipt(deliveryId: string): NewReceipt {
  const identity = { org: 'default', provider: 'fake', source: 'tracker', deliveryId };
  const payload = Buffer.from(deliveryId);
  const stored = {
    identity: identityHash(identity),
    digest: null,
    contentHash: contentHash(payload),
    payload,
    payloadSize: payload.length,
    payloadCut: false,
  };
  return {
    ...identity,
    ...stored,
    eventKey: 'comment.created',
    parsed: '{"kind":"prompt","subject":null,"text":"seeded"}',
    secretIndex: 0,
  };
}

function delivery(conversation: string, sequence: number, receipt: number): NewDelivery {
  const plain = {
    outcome: null,
    trust: 'untrusted',
    waking: true,
    wakeAt: null,
    messageKey: null,
    text: null,
    textRevision: null,
    authorKind: null,
    collects: false,
  } as const;
  return { conversation, sequence, receipt, route: 'triage', kind: 'prompt', ...plain };
}
