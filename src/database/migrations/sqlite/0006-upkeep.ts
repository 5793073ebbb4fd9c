import { Migration } from '@mikro-orm/migrations';

/** Edits of messages, aliases of subjects, what retention and purges have done, and conflicting payloads. */
export class Upkeep extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = [
  `alter table deliveries add column text_revision text`,
  `alter table subjects add column alias_namespace text`,
  `alter table subjects add column alias_key text check ((alias_key is null) = (alias_namespace is null))`,
  `alter table subjects add column alias_by text`,
  `alter table subjects add column alias_at integer`,
  `create index subjects_alias on subjects (org, alias_namespace, alias_key) where alias_key is not null`,
  `alter table receipts add column purged_at integer`,
  `alter table conversations add column purged_at integer`,
  `create index turns_ended on turns (ended_at) where ended_at is not null`,
  `create index idempotency_keys_created on idempotency_keys (created_at)`,
  `create table receipt_conflicts (
    receipt integer not null,
    content_hash blob not null,
    payload_size integer not null,
    count integer not null,
    first_at integer not null,
    last_at integer not null,
    primary key (receipt, content_hash)
  ) strict, without rowid`,
  `create table notices (
    org text not null,
    source text not null,
    author text not null,
    day integer not null,
    receipt integer not null,
    primary key (org, source, author, day)
  ) strict, without rowid`,
  `create table sweeps (
    kind text primary key,
    position integer not null,
    next_at integer not null,
    pruned integer not null
  ) strict, without rowid`,
  `create table kept_payloads (receipt integer primary key) strict, without rowid`,
  `create table purges (
    conversation text primary key,
    org text not null,
    folder text not null,
    up_to_sequence integer not null,
    up_to_token integer not null,
    asked_by text not null,
    asked_at integer not null
  ) strict, without rowid`,
];

const DOWN = [
  ...['purges', 'kept_payloads', 'sweeps', 'notices', 'receipt_conflicts'].map((table) => `drop table ${table}`),
  ...['idempotency_keys_created', 'turns_ended', 'subjects_alias'].map((index) => `drop index ${index}`),
  `alter table conversations drop column purged_at`,
  `alter table receipts drop column purged_at`,
  ...['alias_at', 'alias_by', 'alias_key', 'alias_namespace'].map((column) => `alter table subjects drop column ${column}`),
  `alter table deliveries drop column text_revision`,
];
