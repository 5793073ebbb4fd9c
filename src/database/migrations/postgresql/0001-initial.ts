import { Migration } from '@mikro-orm/migrations';

/** Everything that accept, claim and finalize need, and what operators are told. */
export class Initial extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    for (const table of TABLES) this.addSql(`drop table ${table}`);
  }
}

const TABLES = [
  'replicas',
  'subjects',
  'conversations',
  'queues',
  'receipts',
  'receipt_repeats',
  'decisions',
  'deliveries',
  'notes',
  'turns',
  'transcripts',
  'tokens',
  'audit',
  'idempotency_keys',
];

const STATEMENTS = [
  `create table replicas (
    id bigint generated always as identity primary key,
    name text not null,
    boot_id text not null,
    pid integer not null,
    process_started text not null,
    started_at bigint not null,
    lease_until bigint not null
  )`,
  `create table subjects (
    org text not null,
    namespace text not null,
    key text not null check (length(key) between 1 and 500),
    state text check (state in ('open', 'terminal')),
    reason text,
    revision text,
    strength smallint not null default 0,
    changed_at bigint,
    primary key (org, namespace, key)
  )`,
  `create table conversations (
    id uuid primary key,
    org text not null,
    namespace text not null check (length(namespace) >= 1),
    key text not null check (length(key) between 1 and 500),
    scope text not null check (scope in ('subject', 'automation', 'run')),
    scope_name text not null,
    title text,
    url text,
    workspace text not null,
    folder text not null,
    route text,
    lifecycle text not null check (lifecycle in ('follow', 'ignore')),
    session text,
    state text not null check (state in ('open', 'terminal')),
    reason text,
    revision text,
    strength smallint not null default 0,
    terminal_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    check (state = 'open' or session is null)
  )`,
  `create unique index conversations_subject on conversations (org, namespace, key, scope, scope_name)`,
  `create unique index conversations_folder on conversations (folder)`,
  `create index conversations_by_time on conversations (org, created_at, id)`,
  `create table queues (
    conversation uuid primary key,
    org text not null,
    workspace text not null,
    next_sequence bigint not null,
    open integer not null check (open >= 0),
    waking integer not null check (waking >= 0),
    head bigint not null default 1,
    ready_at bigint,
    parked text check (parked in ('held', 'stalled', 'unconfigured')),
    owner integer,
    token bigint not null default 0,
    claim_from bigint,
    claim_to bigint,
    claimed_at bigint,
    retry_to bigint,
    check (ready_at is null or (owner is null and parked is null and open > 0))
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0)`,
  `create index queues_ready on queues (ready_at) where ready_at is not null`,
  `create table receipts (
    id bigint generated always as identity primary key,
    org text not null,
    provider text not null,
    source text not null,
    delivery_id text not null,
    identity bytea not null,
    digest bytea,
    content_hash bytea not null,
    event_key text not null,
    parsed text not null,
    payload bytea,
    payload_size integer not null,
    payload_cut smallint not null default 0,
    secret_index smallint not null default 0,
    received_at bigint not null
  )`,
  `create unique index receipts_identity on receipts (identity)`,
  `create unique index receipts_digest on receipts (digest) where digest is not null`,
  `create table receipt_repeats (
    receipt bigint primary key,
    duplicates integer not null,
    conflicts integer not null,
    last_at bigint not null
  )`,
  `create table decisions (
    receipt bigint not null,
    number integer not null,
    decided_at bigint not null,
    decided_by text not null,
    disposition text not null check (disposition in ('routed', 'lifecycle', 'recorded', 'ignored', 'held', 'suppressed', 'unmatched')),
    reason text,
    matched integer not null,
    detail text not null,
    primary key (receipt, number)
  )`,
  `create table deliveries (
    conversation uuid not null,
    sequence bigint not null,
    receipt bigint not null,
    route text,
    kind text not null check (kind in ('prompt', 'lifecycle')),
    state text not null check (state in ('held', 'pending', 'completed')),
    outcome text,
    reason text,
    trust text not null check (trust in ('trusted', 'untrusted')),
    waking smallint not null,
    wake_at bigint,
    message_key text,
    text text,
    attempts integer not null default 0,
    interruptions integer not null default 0,
    due_at bigint,
    failure text,
    completed_at bigint,
    primary key (conversation, sequence),
    check ((state = 'completed') = (outcome is not null))
  ) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05)`,
  `create unique index deliveries_receipt on deliveries (receipt, conversation)`,
  `create unique index deliveries_message on deliveries (conversation, message_key) where message_key is not null`,
  `create table notes (
    id bigint generated always as identity primary key,
    conversation uuid not null,
    noted_at bigint not null,
    noted_by text not null,
    kind text not null,
    receipt bigint,
    sequence bigint,
    reason text
  )`,
  `create index notes_conversation on notes (conversation, id)`,
  `create table turns (
    conversation uuid not null,
    token bigint not null,
    owner integer not null,
    state text not null check (state in ('active', 'pausing', 'paused', 'done', 'failed', 'interrupted', 'abandoned', 'retired', 'reset')),
    from_sequence bigint not null,
    to_sequence bigint not null,
    attempt integer not null,
    session text,
    result text,
    error text,
    detail text,
    cost_usd double precision not null default 0,
    process_id integer,
    process_started text,
    started_at bigint not null,
    ended_at bigint,
    primary key (conversation, token)
  )`,
  `create unique index turns_one_live on turns (conversation) where state in ('active', 'pausing', 'paused')`,
  `create index turns_live_owner on turns (owner) where state in ('active', 'pausing', 'paused')`,
  `create table transcripts (
    conversation uuid not null,
    token bigint not null,
    number integer not null,
    said_at bigint not null,
    kind text not null,
    body text not null,
    primary key (conversation, token, number)
  )`,
  `create table tokens (
    id bigint generated always as identity primary key,
    org text not null,
    name text not null,
    role text not null check (role in ('viewer', 'operator', 'admin')),
    hash bytea not null,
    created_at bigint not null,
    revoked_at bigint
  )`,
  `create unique index tokens_hash on tokens (hash)`,
  `create table audit (
    id bigint generated always as identity primary key,
    org text not null,
    at bigint not null,
    actor text not null,
    action text not null,
    target text not null,
    detail text not null
  )`,
  `create table idempotency_keys (
    org text not null,
    actor text not null,
    key text not null,
    request bytea not null,
    status integer,
    response text,
    created_at bigint not null,
    primary key (org, actor, key)
  )`,
];
