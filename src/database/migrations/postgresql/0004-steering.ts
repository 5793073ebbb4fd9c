import { Migration } from '@mikro-orm/migrations';

/** Reset, pause, messages during a turn, and what turns may cost. */
export class Steering extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const QUEUE_COLUMNS = ['paused', 'resting', 'turn_trust', 'steerable', 'quiet_until', 'quiet_limit'];

// That nothing paused is ready is no rule of the table: replicas of the version before would be refused their events by it while a
// cluster is upgraded. A budget that is spent is filled again by the clock, so such a queue has a time.
const UP = [
  'alter table queues drop constraint queues_parked_check, drop constraint queues_check',
  "alter table queues add constraint queues_parked_check check (parked in ('held', 'stalled', 'unconfigured', 'looping', 'spent'))",
  `alter table queues add constraint queues_check
     check (ready_at is null or (owner is null and (parked is null or parked = 'spent') and open > 0))`,
  `alter table queues
     add column paused smallint not null default 0,
     add column resting smallint not null default 0,
     add column turn_trust text check (turn_trust in ('trusted', 'untrusted')),
     add column steerable smallint not null default 0,
     add column quiet_until bigint,
     add column quiet_limit bigint`,
  `alter table conversations
     add column cleared_to bigint not null default 0,
     add column spent_usd double precision not null default 0,
     add column waived_until bigint,
     add column loop_floor bigint not null default 0`,
  `alter table deliveries
     add column author_kind text check (author_kind in ('person', 'machine')),
     add column collects smallint not null default 0`,
  "alter table turns add column caused_by text check (caused_by in ('person', 'machine'))",
  "update turns set process_id = null where state in ('done', 'failed')",
  `create index turns_processes on turns (owner) where process_id is not null and state not in ('done', 'failed')`,
  `create table spendings (
    org text not null,
    workspace text not null,
    day text not null,
    usd double precision not null,
    primary key (org, workspace, day)
  )`,
];

const DOWN = [
  'drop table spendings',
  'drop index turns_processes',
  'alter table turns drop column caused_by',
  'alter table deliveries drop column author_kind, drop column collects',
  'alter table conversations drop column cleared_to, drop column spent_usd, drop column waived_until, drop column loop_floor',
  "update queues set parked = 'stalled', ready_at = null where parked in ('looping', 'spent')",
  `update queues set ready_at = cast(extract(epoch from clock_timestamp()) * 1000 as bigint)
    where paused = 1 and owner is null and parked is null and open > 0`,
  `alter table queues ${QUEUE_COLUMNS.map((column) => `drop column ${column}`).join(', ')}`,
  'alter table queues drop constraint queues_parked_check, drop constraint queues_check',
  "alter table queues add constraint queues_parked_check check (parked in ('held', 'stalled', 'unconfigured'))",
  'alter table queues add constraint queues_check check (ready_at is null or (owner is null and parked is null and open > 0))',
];
