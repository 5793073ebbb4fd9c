import { first, type Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';

export type UploadState = 'uploading' | 'completed' | 'failed';

export interface NewUpload {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly owner: string;
  readonly description: string | null;
  /** In the folder of uploads. */
  readonly file: string;
}

export interface UploadRow extends NewUpload {
  readonly state: UploadState;
  readonly size: number;
  readonly sha256: string | null;
  readonly error: string | null;
  readonly created_at: number;
  readonly deleted_at: number | null;
}

export type UploadPosition = readonly [createdAt: number, id: string];

/** Before its first byte. */
export async function insertUpload(tx: Tx, { id, org, name, owner, description, file }: NewUpload): Promise<void> {
  await tx.run(
    `insert into uploads (id, org, name, owner, description, state, file, created_at) values (?, ?, ?, ?, ?, 'uploading', ?, ${tx.dialect.now})`,
    [id, org, name, owner, description, file],
  );
}

/** All of it is here, and it is what it should be. Null: it was given up meanwhile. */
export function completeUpload(tx: Tx, id: string, { size, sha256 }: { size: number; sha256: string }): Promise<UploadRow | null> {
  return first(tx, "update uploads set state = 'completed', size = ?, sha256 = ? where id = ? and state = 'uploading' returning *", [
    size,
    sha256,
    id,
  ]);
}

export async function failUpload(tx: Tx, id: string, error: string): Promise<void> {
  await tx.run("update uploads set state = 'failed', error = ? where id = ? and state = 'uploading'", [error, id]);
}

/** Null: there is none, it was deleted, or it is another organisation's; nobody learns which. */
export function readUpload(tx: Tx, org: string, id: string): Promise<UploadRow | null> {
  return first(tx, 'select * from uploads where id = ? and org = ? and deleted_at is null', [id, org]);
}

/** What an automation of the organisation may start. Asked when it is stored and again when a run begins: it may be deleted between. */
export async function openUpload(tx: Tx, org: string, id: string): Promise<UploadRow | null> {
  const found = await readUpload(tx, org, id);
  return found?.state === 'completed' ? found : null;
}

/** Newest first. */
export function listUploads(tx: Tx, org: string, slice: Slice<UploadPosition>): Promise<Found<UploadRow, UploadPosition>> {
  const where = new Where().and('org = ?', org).and('deleted_at is null');
  if (slice.after) where.and('(created_at, id) < (?, ?)', ...slice.after);
  const order = 'created_at desc, id desc';
  return findSlice(
    tx,
    { select: 'select * from uploads', where, order },
    slice,
    (row: UploadRow): UploadPosition => [row.created_at, row.id],
  );
}

/** An automation that would start it; null: none does. */
export function userOfUpload(tx: Tx, org: string, id: string): Promise<{ id: string; name: string } | null> {
  return first(tx, 'select id, name from automations where org = ? and deleted_at is null and spec like ? order by id limit 1', [
    org,
    `%"upload://${id}"%`,
  ]);
}

/** Its file goes a while later: a run may be reading it. */
export async function deleteUpload(tx: Tx, org: string, id: string): Promise<boolean> {
  const count = await tx.run(`update uploads set deleted_at = ${tx.dialect.now} where id = ? and org = ? and deleted_at is null`, [
    id,
    org,
  ]);
  return count === 1;
}

/** Those that nobody can have any more, so long after: deleted ones, and what never became one. */
export function staleUploads(tx: Tx, afterMs: number, limit: number): Promise<UploadRow[]> {
  return tx.all(
    `select * from uploads where coalesce(deleted_at, case when state <> 'completed' then created_at end) < ${tx.dialect.now} - ?
      order by id limit ?`,
    [afterMs, limit],
  );
}

export async function forgetUpload(tx: Tx, id: string): Promise<void> {
  await tx.run('delete from uploads where id = ?', [id]);
}
