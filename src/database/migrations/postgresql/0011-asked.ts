import { Migration } from '@mikro-orm/migrations';

/** In which thread a person is asked, and messages that came before it was known whose thread they are in. */
export class Asked extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = [
  'alter table approvals add column asked_connection text',
  'alter table approvals add column asked_thread text',
  `create table early_messages (
    receipt bigint primary key,
    org text not null,
    connection text not null,
    thread text not null,
    arrived_at bigint not null
  )`,
  `create index control_bindings_unverified on control_bindings (org, connection) where verified_at is null and state <> 'closed'`,
];

const DOWN = [
  'drop index control_bindings_unverified',
  'drop table early_messages',
  'alter table approvals drop column asked_thread',
  'alter table approvals drop column asked_connection',
];
