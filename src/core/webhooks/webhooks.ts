import { first, type Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';
import type { WebhookSettings } from './webhook-settings.js';

/** A source of events that was made through the API, as it is stored. */
export interface Webhook {
  readonly id: string;
  readonly org: string;
  /** For people. */
  readonly name: string;
  /** The last part of the address that its events are sent to. */
  readonly source: string;
  readonly settings: WebhookSettings;
  /** Sealed. */
  readonly secrets: Buffer;
  readonly isEnabled: boolean;
  /** Goes up with each change. */
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | null;
}

interface Row {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly source: string;
  readonly settings: string;
  readonly secrets: Buffer;
  readonly enabled: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly deleted_at: number | null;
}

const SELECT = `select id, org, name, source, settings, secrets, enabled, revision, created_at, updated_at, deleted_at from webhooks`;

function toWebhook({ id, org, name, source, settings, secrets, enabled, revision, ...at }: Row): Webhook {
  return {
    ...{ id, org, name, source, revision, secrets, isEnabled: enabled === 1, settings: JSON.parse(settings) as WebhookSettings },
    ...{ createdAt: at.created_at, updatedAt: at.updated_at, deletedAt: at.deleted_at },
  };
}

/** Null: there is none, it was deleted, or it is another organisation's; nobody learns which. */
export function findWebhook(tx: Tx, org: string, id: string): Promise<Webhook | null> {
  return one(tx, 'id = ? and org = ? and deleted_at is null', id, org);
}

/** Nobody changes it until the transaction ends. */
export function lockWebhook(tx: Tx, org: string, id: string): Promise<Webhook | null> {
  return one(tx, `id = ? and org = ? and deleted_at is null${tx.dialect.forUpdate}`, id, org);
}

/** The one that takes the events of this address. */
export function findWebhookAt(tx: Tx, org: string, source: string): Promise<Webhook | null> {
  return one(tx, 'org = ? and source = ? and deleted_at is null', org, source);
}

async function one(tx: Tx, condition: string, ...values: readonly string[]): Promise<Webhook | null> {
  const row = await first<Row>(tx, `${SELECT} where ${condition}`, values);
  return row === null ? null : toWebhook(row);
}

/** Those of every organisation, deleted ones as well: what they have accepted may still wait for its turn. */
export async function everyWebhook(tx: Tx): Promise<Webhook[]> {
  return (await tx.all<Row>(`${SELECT} order by deleted_at is null, deleted_at, id`)).map(toWebhook);
}

/** What automations of the organisation may listen to. */
export async function webhooksOf(tx: Tx, org: string): Promise<Webhook[]> {
  return (await tx.all<Row>(`${SELECT} where org = ? and deleted_at is null order by source`, [org])).map(toWebhook);
}

/** Differs from what it was before whenever any of them has changed. */
export async function webhooksMark(tx: Tx): Promise<string> {
  const row = await first<{ mark: string }>(
    tx,
    "select count(*) || '/' || coalesce(sum(revision), 0) || '/' || coalesce(max(updated_at), 0) as mark from webhooks",
  );
  return row?.mark ?? '';
}

export type WebhookPosition = readonly [createdAt: number, id: string];

/** Newest first. */
export async function listWebhooks(
  tx: Tx,
  org: string,
  { source }: { readonly source?: string | undefined },
  slice: Slice<WebhookPosition>,
): Promise<Found<Webhook, WebhookPosition>> {
  const where = new Where().and('org = ?', org).and('deleted_at is null').filter('source = ?', source);
  if (slice.after) where.and('(created_at, id) < (?, ?)', ...slice.after);
  const query = { select: SELECT, where, order: 'created_at desc, id desc' };
  const found = await findSlice(tx, query, slice, (row: Row): WebhookPosition => [row.created_at, row.id]);
  return { rows: found.rows.map(toWebhook), next: found.next };
}

export type NewWebhook = Pick<Webhook, 'id' | 'org' | 'name' | 'source' | 'settings' | 'secrets' | 'isEnabled'>;

/** False: its organisation has one of this source already. */
export async function insertWebhook(tx: Tx, made: NewWebhook): Promise<boolean> {
  const { id, org, name, source, settings, secrets, isEnabled } = made;
  const { now } = tx.dialect;
  const count = await tx.run(
    `insert into webhooks (id, org, name, source, settings, secrets, enabled, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ${now}, ${now}) on conflict do nothing`,
    [id, org, name, source, JSON.stringify(settings), secrets, isEnabled ? 1 : 0],
  );
  return count === 1;
}

/** All of it as it is from now on. It is locked. */
export async function saveWebhook(tx: Tx, { id, name, settings, secrets, isEnabled }: Webhook): Promise<void> {
  await tx.run(
    `update webhooks set name = ?, settings = ?, secrets = ?, enabled = ?, revision = revision + 1, updated_at = ${tx.dialect.now} where id = ?`,
    [name, JSON.stringify(settings), secrets, isEnabled ? 1 : 0, id],
  );
}

/** Its secrets are gone at once. What it was stays, for what it has accepted; false: it was deleted before. */
export async function deleteWebhook(tx: Tx, org: string, id: string): Promise<boolean> {
  const { now } = tx.dialect;
  const count = await tx.run(
    `update webhooks set deleted_at = ${now}, updated_at = ${now}, revision = revision + 1, enabled = 0, secrets = ?
      where id = ? and org = ? and deleted_at is null`,
    [Buffer.alloc(0), id, org],
  );
  return count === 1;
}

/** Those that were deleted so long ago that nothing of theirs waits any more. */
export async function forgetWebhooks(tx: Tx, afterMs: number): Promise<void> {
  await tx.run(`delete from webhooks where deleted_at < ${tx.dialect.now} - ?`, [afterMs]);
}
