import { Migration } from '@mikro-orm/migrations';

/** Conversations that their provider has moved to another workspace than the one that their route names, and the work that people steer on boards. */
export class Boards extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = [
  'alter table conversations add column moved smallint not null default 0',
  `create table tasks (
    conversation uuid primary key,
    state text not null check (state in ('planning', 'proposed', 'running', 'review', 'blocked', 'done', 'cancelled')),
    request text not null,
    initiator text not null,
    lease text,
    begun_at bigint not null,
    changed_at bigint not null,
    check (state not in ('running', 'review', 'done') or lease is not null),
    check (state not in ('planning', 'proposed') or lease is null)
  )`,
];

const DOWN = ['drop table tasks', 'alter table conversations drop column moved'];
