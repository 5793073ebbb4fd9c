import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/tx.js';
import type { Parsed } from '../../plugin/index.js';
import { identityHash } from '../receipts/receipt.js';
import { readReceipt, type StoredReceipt } from '../receipts/receipts.js';
import type { Route } from '../routing/route.js';
import { PayloadUnavailable } from './payload-unavailable.js';
import type { AdmissibleEvent } from './plan-admission.js';

export interface Stored {
  readonly receipt: StoredReceipt;
  /** Identity of the receipt that the event first came with, through any number of forced replays, and the id that it came under. */
  readonly origin: Buffer;
  readonly originId: string;
}

export async function readStored(tx: Tx, org: string, id: number): Promise<Stored | null> {
  const receipt = await readReceipt(tx, org, id);
  if (receipt === null) return null;
  let first = receipt;
  for (let before = replayedBy(first); before !== null; before = replayedBy(first)) {
    const earlier = await readReceipt(tx, org, before);
    if (earlier === null) break;
    first = earlier;
  }
  return { receipt, origin: identityHash({ ...first, deliveryId: first.delivery_id }), originId: first.delivery_id };
}

/** Delivery id of a forced replay, which says whose it is. */
export function replayId(receipt: number): string {
  return `replay:${receipt}:${randomUUID()}`;
}

function replayedBy({ provider, delivery_id }: StoredReceipt): number | null {
  const [, receipt] = /^replay:(\d+):/.exec(delivery_id) ?? [];
  return provider === 'throughline' && receipt ? Number(receipt) : null;
}

/** A cut or pruned payload still replays from its parsed event, unless a route has to look into the payload itself. */
export function storedEvent(receipt: StoredReceipt, needsPayload: boolean): AdmissibleEvent {
  if (receipt.purged_at !== null) throw new PayloadUnavailable(`receipt ${receipt.id} was purged`);
  const isWhole = receipt.payload !== null && receipt.payload_cut === 0;
  if (needsPayload && !isWhole)
    throw new PayloadUnavailable(
      `the payload of receipt ${receipt.id} was ${receipt.payload === null ? 'pruned' : 'cut'}, and a route reads it`,
    );
  return {
    ...{
      org: receipt.org,
      provider: receipt.provider,
      source: receipt.source,
      deliveryId: receipt.delivery_id,
      eventKey: receipt.event_key,
    },
    payload: isWhole && receipt.payload ? parsedPayload(receipt.payload) : null,
    body: receipt.payload ?? Buffer.alloc(0),
    parsed: JSON.parse(receipt.parsed) as Parsed,
    ...{ uniqueContent: null, secretIndex: receipt.secret_index },
  };
}

/** A form's fields are not JSON; what expressions then see is the text. */
function parsedPayload(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8')) as unknown;
  } catch {
    return payload.toString('utf8');
  }
}

export function readsPayload({ filter, subject, text }: Route): boolean {
  return filter !== null || subject !== null || text !== null;
}
