import { Migration } from '@mikro-orm/migrations';

/** What happens after an end, and before a turn: ends are counted, what they leave to do is kept as jobs, and providers have a word. */
export class Lifecycle extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = [
  'alter table conversations add column ending integer not null default 0',
  'alter table conversations add column ending_sequence bigint',
  // A conversation that ended under an earlier schema, or by a replica that still runs it.
  "create index conversations_uncounted on conversations (id) where state = 'terminal' and ending = 0",
  'alter table deliveries add column deferrals integer not null default 0',
  `create table jobs (
    id bigint generated always as identity primary key,
    conversation uuid not null,
    ending integer not null check (ending > 0),
    kind text not null,
    step integer not null,
    state text not null check (state in ('waiting', 'running', 'done', 'superseded')),
    result text,
    attempts integer not null default 0,
    due_at bigint,
    owner integer,
    failure text,
    created_at bigint not null,
    ended_at bigint,
    check ((state = 'running') = (owner is not null)),
    check ((state = 'waiting') = (due_at is not null)),
    check ((state in ('done', 'superseded')) = (ended_at is not null))
  )`,
  'create unique index jobs_of_ending on jobs (conversation, ending, kind)',
  'create index jobs_due on jobs (due_at) where due_at is not null',
  'create index jobs_owner on jobs (owner) where owner is not null',
  `create table verdicts (
    conversation uuid not null,
    sequence bigint not null,
    party text not null check (party in ('trusted', 'preparer')),
    token bigint not null,
    verdict text not null,
    decided_at bigint not null,
    primary key (conversation, sequence, party)
  )`,
];

const DOWN = [
  'drop table verdicts',
  'drop table jobs',
  'alter table deliveries drop column deferrals',
  'drop index conversations_uncounted',
  'alter table conversations drop column ending_sequence',
  'alter table conversations drop column ending',
];
