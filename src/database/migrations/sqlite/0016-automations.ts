import { Migration } from '@mikro-orm/migrations';
import { rebuild } from './rebuild.js';

/** Automations, their runs and sandboxes, what is uploaded for them, and sources of events that are made through the API. */
export class Automations extends Migration {
  override async up(): Promise<void> {
    await rebuild(this, 'queues', (definition) => definition.replace(PARKED.was, PARKED.is));
    for (const statement of UP) this.addSql(statement);
  }

  override async down(): Promise<void> {
    this.addSql("update queues set parked = 'stalled' where parked = 'starting'");
    await rebuild(this, 'queues', (definition) => definition.replace(PARKED.is, PARKED.was));
    for (const table of TABLES) this.addSql(`drop table ${table}`);
  }
}

const PARKED = { was: "'looping', 'spent')", is: "'looping', 'spent', 'starting')" };

const TABLES = ['automations', 'automation_versions', 'schedules', 'runs', 'run_logs', 'sandboxes', 'uploads', 'webhooks'];

const UP = [
  `create table automations (
    id text primary key,
    org text not null,
    name text not null,
    origin text not null check (origin in ('config', 'api')),
    state text not null check (state in ('draft', 'enabled', 'disabled')),
    version integer not null,
    generation integer not null default 1,
    spec text not null,
    agent text,
    owner text not null,
    failures integer not null default 0,
    disabled_reason text,
    disabled_detail text,
    disabled_at integer,
    created_at integer not null,
    updated_at integer not null,
    deleted_at integer,
    check (disabled_reason is null or state = 'disabled')
  ) strict, without rowid`,
  `create unique index automations_name on automations (org, name) where deleted_at is null`,
  `create index automations_by_time on automations (org, created_at, id)`,
  `create table automation_versions (
    automation text not null,
    version integer not null,
    generation integer not null,
    spec text not null,
    made_by text not null,
    made_at integer not null,
    primary key (automation, version)
  ) strict, without rowid`,
  `create table schedules (
    automation text not null,
    trigger_number integer not null,
    schedule text not null,
    timezone text not null,
    next_fire_at integer,
    primary key (automation, trigger_number)
  ) strict, without rowid`,
  `create index schedules_due on schedules (next_fire_at) where next_fire_at is not null`,
  `create table runs (
    id text primary key,
    org text not null,
    automation text not null,
    version integer not null,
    generation integer not null,
    conversation text not null,
    sequence integer,
    subject text,
    no_subject text,
    cause text not null check (cause in ('event', 'cron', 'api', 'restart')),
    receipt integer,
    slot integer,
    state text not null check (state in ('queued', 'starting', 'running', 'completed', 'failed', 'cancelled', 'skipped')),
    phase text,
    attempt integer not null default 0,
    due_at integer not null,
    owner integer,
    token integer not null default 0,
    sandbox text,
    command text,
    secret_hash blob,
    created_at integer not null,
    started_at integer,
    begun_at integer,
    told_to integer,
    opened_at integer,
    deadline_at integer,
    ended_at integer,
    released_at integer,
    error text,
    detail text,
    timed_out integer not null default 0,
    cost_usd real,
    metadata text,
    inputs text,
    check ((state in ('completed', 'failed', 'cancelled', 'skipped')) = (ended_at is not null))
  ) strict, without rowid`,
  `create unique index runs_one_of_conversation on runs (conversation) where state in ('queued', 'starting', 'running')`,
  `create unique index runs_one_of_subject on runs (automation, subject) where subject is not null and state in ('queued', 'starting', 'running')`,
  `create index runs_queued on runs (due_at, id) where state = 'queued'`,
  `create index runs_live on runs (owner, id) where state in ('starting', 'running')`,
  `create index runs_live_of_automation on runs (automation, state, created_at, id) where state in ('queued', 'starting', 'running')`,
  `create index runs_by_automation on runs (automation, created_at, id)`,
  `create index runs_by_conversation on runs (conversation, created_at)`,
  `create index runs_ended on runs (ended_at) where ended_at is not null`,
  `create unique index runs_secret on runs (secret_hash) where secret_hash is not null`,
  `create index runs_by_time on runs (org, created_at, id)`,
  `create table run_logs (
    run text not null,
    number integer not null,
    at integer not null,
    kind text not null check (kind in ('phase', 'stdout', 'stderr', 'note')),
    body text not null,
    primary key (run, number)
  ) strict, without rowid`,
  `create table sandboxes (
    id text primary key,
    org text not null,
    kind text not null check (kind in ('local', 'remote')),
    runtime text not null,
    run text not null,
    conversation text not null,
    state text not null check (state in ('creating', 'ready', 'paused', 'deleting', 'gone')),
    remote_id text,
    url text,
    secret blob,
    folder text,
    owner integer,
    process_id integer,
    process_started text,
    idle_at integer,
    delete_at integer,
    attempts integer not null default 0,
    due_at integer,
    failure text,
    created_at integer not null,
    updated_at integer not null
  ) strict, without rowid`,
  `create unique index sandboxes_one_of_conversation on sandboxes (conversation) where state in ('creating', 'ready', 'paused')`,
  `create index sandboxes_kept on sandboxes (state, updated_at) where state <> 'gone'`,
  `create table uploads (
    id text primary key,
    org text not null,
    name text not null,
    owner text not null,
    description text,
    state text not null check (state in ('uploading', 'completed', 'failed')),
    size integer not null default 0,
    sha256 text,
    file text not null,
    error text,
    created_at integer not null,
    deleted_at integer
  ) strict, without rowid`,
  `create index uploads_by_time on uploads (org, created_at, id)`,
  `create table webhooks (
    id text primary key,
    org text not null,
    name text not null,
    source text not null,
    settings text not null,
    secrets blob not null,
    enabled integer not null default 1,
    created_at integer not null,
    updated_at integer not null,
    revision integer not null default 1,
    deleted_at integer
  ) strict, without rowid`,
  `create unique index webhooks_source on webhooks (org, source) where deleted_at is null`,
  `create index webhooks_by_time on webhooks (org, created_at, id)`,
];
