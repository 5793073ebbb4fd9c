import { first, type Tx } from '../../database/tx.js';

/** A key belongs to the organisation, whoever sends it, just as the receipt that a message becomes under it. */
const ACTOR = 'api';

/** A request that was begun this long ago and has no result yet was cut off with its process. */
const LOST_AFTER_MS = 5 * 60_000;

export interface KeyedRequest {
  readonly org: string;
  readonly key: string;
  /** Hash of what was asked. */
  readonly request: Buffer;
}

export type Reservation =
  /** The first with this key: go on, then `finish` or `release`. */
  | { readonly is: 'first' }
  | { readonly is: 'running' }
  | { readonly is: 'other_request' }
  | { readonly is: 'finished'; readonly status: number; readonly response: string };

interface Row {
  readonly request: Buffer;
  readonly status: number | null;
  readonly response: string | null;
}

export async function reserveKey(tx: Tx, { org, key, request }: KeyedRequest): Promise<Reservation> {
  const isNew = await tx.run(
    `insert into idempotency_keys (org, actor, key, request, created_at) values (?, ?, ?, ?, ${tx.dialect.now})
     on conflict (org, actor, key) do nothing`,
    [org, ACTOR, key, request],
  );
  if (isNew === 1) return { is: 'first' };
  const row = await first<Row>(tx, 'select request, status, response from idempotency_keys where org = ? and actor = ? and key = ?', [
    org,
    ACTOR,
    key,
  ]);
  if (row === null) return { is: 'running' };
  if (!row.request.equals(request)) return { is: 'other_request' };
  if (row.status !== null) return { is: 'finished', status: row.status, response: row.response ?? '' };
  const takenOver = await tx.run(
    `update idempotency_keys set created_at = ${tx.dialect.now}
      where org = ? and actor = ? and key = ? and status is null and created_at < ${tx.dialect.now} - ?`,
    [org, ACTOR, key, LOST_AFTER_MS],
  );
  return { is: takenOver === 1 ? 'first' : 'running' };
}

export async function finishKey(tx: Tx, { org, key }: KeyedRequest, result: { status: number; response: string }): Promise<void> {
  await tx.run('update idempotency_keys set status = ?, response = ? where org = ? and actor = ? and key = ?', [
    result.status,
    result.response,
    org,
    ACTOR,
    key,
  ]);
}

/** Nothing came of it: the key may be used again. */
export async function releaseKey(tx: Tx, { org, key }: KeyedRequest): Promise<void> {
  await tx.run('delete from idempotency_keys where org = ? and actor = ? and key = ? and status is null', [org, ACTOR, key]);
}

export async function pruneKeys(tx: Tx, olderThan: number, limit: number): Promise<{ count: number; isDone: boolean }> {
  const count = await tx.run(
    `delete from idempotency_keys where (org, actor, key) in
       (select org, actor, key from idempotency_keys where created_at < ? order by created_at limit ?)`,
    [olderThan, limit],
  );
  return { count, isDone: count < limit };
}
