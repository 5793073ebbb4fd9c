import { Migration } from '@mikro-orm/migrations';
import { rebuild } from './rebuild.js';

/** Reset, pause, messages during a turn, and what turns may cost. */
export class Steering extends Migration {
  override async up(): Promise<void> {
    await rebuild(this, 'queues', (definition) => definition.replace(PARKED.was, PARKED.is).replace(READY.was, READY.is));
    for (const statement of UP) this.addSql(statement);
  }

  override async down(): Promise<void> {
    for (const statement of BEFORE_DOWN) this.addSql(statement);
    await rebuild(this, 'queues', (definition) => definition.replace(PARKED.is, PARKED.was).replace(READY.is, READY.was));
    for (const statement of DOWN) this.addSql(statement);
  }
}

const PARKED = {
  was: "check (parked in ('held', 'stalled', 'unconfigured'))",
  is: "check (parked in ('held', 'stalled', 'unconfigured', 'looping', 'spent'))",
};

// A budget that is spent is filled again by the clock. That nothing paused is ready is no rule of the table: replicas of the version
// before would be refused their events by it while a cluster is upgraded.
const READY = {
  was: 'check (ready_at is null or (owner is null and parked is null and open > 0))',
  is: "check (ready_at is null or (owner is null and (parked is null or parked = 'spent') and open > 0))",
};

const QUEUE_COLUMNS = ['paused', 'resting', 'turn_trust', 'steerable', 'quiet_until', 'quiet_limit'];

const UP = [
  'alter table queues add column paused integer not null default 0',
  'alter table queues add column resting integer not null default 0',
  "alter table queues add column turn_trust text check (turn_trust in ('trusted', 'untrusted'))",
  'alter table queues add column steerable integer not null default 0',
  'alter table queues add column quiet_until integer',
  'alter table queues add column quiet_limit integer',
  'alter table conversations add column cleared_to integer not null default 0',
  'alter table conversations add column spent_usd real not null default 0',
  'alter table conversations add column waived_until integer',
  'alter table conversations add column loop_floor integer not null default 0',
  "alter table deliveries add column author_kind text check (author_kind in ('person', 'machine'))",
  'alter table deliveries add column collects integer not null default 0',
  "alter table turns add column caused_by text check (caused_by in ('person', 'machine'))",
  "update turns set process_id = null where state in ('done', 'failed')",
  `create index turns_processes on turns (owner) where process_id is not null and state not in ('done', 'failed')`,
  `create table spendings (
    org text not null,
    workspace text not null,
    day text not null,
    usd real not null,
    primary key (org, workspace, day)
  ) strict, without rowid`,
];

/** What the version before does not know. */
const BEFORE_DOWN = [
  "update queues set parked = 'stalled', ready_at = null where parked in ('looping', 'spent')",
  "update queues set ready_at = cast(unixepoch('subsec') * 1000 as integer) where paused = 1 and owner is null and parked is null and open > 0",
];

const DOWN = [
  'drop table spendings',
  'drop index turns_processes',
  'alter table turns drop column caused_by',
  ...['author_kind', 'collects'].map((column) => `alter table deliveries drop column ${column}`),
  ...['cleared_to', 'spent_usd', 'waived_until', 'loop_floor'].map((column) => `alter table conversations drop column ${column}`),
  ...QUEUE_COLUMNS.map((column) => `alter table queues drop column ${column}`),
];
