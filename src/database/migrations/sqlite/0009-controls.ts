import { Migration } from '@mikro-orm/migrations';

/** The threads in which people see conversations, and what is to be done at their channels. */
export class Controls extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = [
  `create table control_bindings (
    conversation text primary key,
    org text not null,
    connection text not null,
    parent text not null,
    title text not null,
    workspace text not null,
    state text not null check (state in ('wanted', 'open', 'closed')),
    thread text,
    thread_parent text,
    thread_title text,
    url text,
    verified_at integer,
    fault text,
    fault_message text,
    fault_at integer,
    created_at integer not null,
    updated_at integer not null,
    check (state <> 'open' or (thread is not null and verified_at is not null)),
    check ((thread is null) = (thread_parent is null)),
    check ((thread is null) = (thread_title is null)),
    check ((fault is null) = (fault_at is null)),
    check ((fault is null) = (fault_message is null))
  ) strict, without rowid`,
  'create unique index control_bindings_thread on control_bindings (org, connection, thread) where thread is not null',
  'create unique index control_bindings_title on control_bindings (org, connection, parent, title)',
  'create index control_bindings_created on control_bindings (org, created_at, conversation)',
  'create index control_bindings_fault on control_bindings (fault) where fault is not null',
  `create table errands (
    id integer primary key autoincrement,
    conversation text,
    org text not null,
    connection text not null,
    lane text not null,
    kind text not null,
    slot text not null unique,
    key text not null,
    body text not null,
    pause_ms integer not null,
    revision integer not null,
    message text,
    thread text,
    state text not null check (state in ('waiting', 'writing', 'unknown', 'looking', 'done', 'refused', 'dropped')),
    attempts integer not null,
    due_at integer,
    owner integer,
    failure text,
    created_at integer not null,
    ended_at integer,
    check ((state in ('writing', 'looking')) = (owner is not null)),
    check ((state in ('waiting', 'unknown')) = (due_at is not null)),
    check ((state in ('done', 'refused', 'dropped')) = (ended_at is not null)),
    check ((message is null) = (thread is null))
  ) strict`,
  'create unique index errands_in_hand on errands (lane) where owner is not null',
  'create index errands_open on errands (lane, id) where ended_at is null',
  'create index errands_due on errands (due_at) where due_at is not null',
  'create index errands_owner on errands (owner) where owner is not null',
  'create index errands_ended on errands (ended_at) where ended_at is not null',
  'create index errands_conversation on errands (conversation) where conversation is not null',
];

const DOWN = ['drop table errands', 'drop table control_bindings'];
