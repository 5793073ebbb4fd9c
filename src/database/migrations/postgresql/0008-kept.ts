import { Migration } from '@mikro-orm/migrations';

/** What waits for something else: events kept until their route takes them, and changes of messages that have not arrived yet. */
export class Kept extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = [
  'create index jobs_ended on jobs (ended_at) where ended_at is not null',
  'create unique index notices_receipt on notices (receipt)',
  `create table kept_events (
    org text not null,
    route text not null,
    receipt bigint not null,
    primary key (org, route, receipt)
  )`,
  'create index kept_events_receipt on kept_events (receipt)',
  // What was kept so far is found in what was decided about it.
  `insert into kept_events (org, route, receipt)
    select distinct r.org, v ->> 'route', r.id from decisions d join receipts r on r.id = d.receipt, json_array_elements(d.detail::json -> 'verdicts') v
     where d.number = 0 and d.detail like '%"on_demand"%' and v ->> 'reason' = 'on_demand' and r.parsed like '%"kind":"prompt"%' and r.purged_at is null`,
  'alter table subjects add column early_changes smallint not null default 0',
  `create table early_changes (
    org text not null,
    namespace text not null,
    key text not null,
    message_key text not null,
    receipt bigint not null,
    primary key (org, namespace, key, message_key)
  )`,
  'create index early_changes_receipt on early_changes (receipt)',
];

const DOWN = [
  'drop table early_changes',
  'alter table subjects drop column early_changes',
  'drop table kept_events',
  'drop index notices_receipt',
  'drop index jobs_ended',
];
