import { inTerms, type Tx } from '../../database/tx.js';
import type { StoredReceipt } from '../receipts/receipts.js';
import type { SubjectKey } from '../subjects/subjects.js';

/** A message by its subject and its key. */
export interface MessagePlace extends SubjectKey {
  readonly messageKey: string;
}

/** Remembers by which receipts messages were changed that are not there yet. The subjects are locked by the caller, and say from now on that they have some. */
export async function saveMessageChanges(tx: Tx, changes: readonly (MessagePlace & { readonly receipt: number })[]): Promise<void> {
  for (const { org, namespace, key, messageKey, receipt } of changes) {
    await tx.run(
      `insert into early_changes (org, namespace, key, message_key, receipt) values (?, ?, ?, ?, ?)
         on conflict (org, namespace, key, message_key) do update set receipt = excluded.receipt`,
      [org, namespace, key, messageKey, receipt],
    );
    await tx.run('update subjects set early_changes = 1 where org = ? and namespace = ? and key = ? and early_changes = 0', [
      org,
      namespace,
      key,
    ]);
  }
}

export type ChangingReceipt = StoredReceipt & Pick<SubjectKey, 'namespace' | 'key'>;

/** The receipts that changed these messages before they were there. */
export async function findMessageChanges(tx: Tx, places: readonly MessagePlace[]): Promise<ChangingReceipt[]> {
  const found: ChangingReceipt[] = [];
  for (const part of inTerms(places)) {
    const each = part.map(() => '(e.org = ? and e.namespace = ? and e.key = ? and e.message_key = ?)').join(' or ');
    found.push(
      ...(await tx.all<ChangingReceipt>(
        `select r.id, r.org, r.provider, r.source, r.delivery_id, r.event_key, r.parsed, r.payload, r.payload_size, r.payload_cut, r.secret_index,
           r.received_at, r.purged_at, e.namespace, e.key
         from early_changes e join receipts r on r.id = e.receipt where r.purged_at is null and (${each})`,
        part.flatMap(({ org, namespace, key, messageKey }) => [org, namespace, key, messageKey]),
      )),
    );
  }
  return found;
}
