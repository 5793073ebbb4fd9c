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
    id integer primary key autoincrement,
    name text not null,
    boot_id text not null,
    pid integer not null,
    process_started text not null,
    started_at integer not null,
    lease_until integer not null
  ) strict`,
  `create table subjects (
    org text not null,
    namespace text not null,
    key text not null check (length(key) between 1 and 500),
    state text check (state in ('open', 'terminal')),
    reason text,
    revision text,
    strength integer not null default 0,
    changed_at integer,
    primary key (org, namespace, key)
  ) strict, without rowid`,
  `create table conversations (
    id text primary key,
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
    strength integer not null default 0,
    terminal_at integer,
    created_at integer not null,
    updated_at integer not null,
    check (state = 'open' or session is null)
  ) strict, without rowid`,
  `create unique index conversations_subject on conversations (org, namespace, key, scope, scope_name)`,
  `create unique index conversations_folder on conversations (folder)`,
  `create index conversations_by_time on conversations (org, created_at, id)`,
  `create table queues (
    conversation text primary key,
    org text not null,
    workspace text not null,
    next_sequence integer not null,
    open integer not null check (open >= 0),
    waking integer not null check (waking >= 0),
    head integer not null default 1,
    ready_at integer,
    parked text check (parked in ('held', 'stalled', 'unconfigured')),
    owner integer,
    token integer not null default 0,
    claim_from integer,
    claim_to integer,
    claimed_at integer,
    retry_to integer,
    check (ready_at is null or (owner is null and parked is null and open > 0))
  ) strict, without rowid`,
  `create index queues_ready on queues (ready_at) where ready_at is not null`,
  `create table receipts (
    id integer primary key autoincrement,
    org text not null,
    provider text not null,
    source text not null,
    delivery_id text not null,
    identity blob not null,
    digest blob,
    content_hash blob not null,
    event_key text not null,
    parsed text not null,
    payload blob,
    payload_size integer not null,
    payload_cut integer not null default 0,
    secret_index integer not null default 0,
    received_at integer not null
  ) strict`,
  `create unique index receipts_identity on receipts (identity)`,
  `create unique index receipts_digest on receipts (digest) where digest is not null`,
  `create table receipt_repeats (
    receipt integer primary key,
    duplicates integer not null,
    conflicts integer not null,
    last_at integer not null
  ) strict`,
  `create table decisions (
    receipt integer not null,
    number integer not null,
    decided_at integer not null,
    decided_by text not null,
    disposition text not null check (disposition in ('routed', 'lifecycle', 'recorded', 'ignored', 'held', 'suppressed', 'unmatched')),
    reason text,
    matched integer not null,
    detail text not null,
    primary key (receipt, number)
  ) strict, without rowid`,
  `create table deliveries (
    conversation text not null,
    sequence integer not null,
    receipt integer not null,
    route text,
    kind text not null check (kind in ('prompt', 'lifecycle')),
    state text not null check (state in ('held', 'pending', 'completed')),
    outcome text,
    reason text,
    trust text not null check (trust in ('trusted', 'untrusted')),
    waking integer not null,
    wake_at integer,
    message_key text,
    text text,
    attempts integer not null default 0,
    interruptions integer not null default 0,
    due_at integer,
    failure text,
    completed_at integer,
    primary key (conversation, sequence),
    check ((state = 'completed') = (outcome is not null))
  ) strict, without rowid`,
  `create unique index deliveries_receipt on deliveries (receipt, conversation)`,
  `create unique index deliveries_message on deliveries (conversation, message_key) where message_key is not null`,
  `create table notes (
    id integer primary key autoincrement,
    conversation text not null,
    noted_at integer not null,
    noted_by text not null,
    kind text not null,
    receipt integer,
    sequence integer,
    reason text
  ) strict`,
  `create index notes_conversation on notes (conversation, id)`,
  `create table turns (
    conversation text not null,
    token integer not null,
    owner integer not null,
    state text not null check (state in ('active', 'pausing', 'paused', 'done', 'failed', 'interrupted', 'abandoned', 'retired', 'reset')),
    from_sequence integer not null,
    to_sequence integer not null,
    attempt integer not null,
    session text,
    result text,
    error text,
    detail text,
    cost_usd real not null default 0,
    process_id integer,
    process_started text,
    started_at integer not null,
    ended_at integer,
    primary key (conversation, token)
  ) strict, without rowid`,
  `create unique index turns_one_live on turns (conversation) where state in ('active', 'pausing', 'paused')`,
  `create index turns_live_owner on turns (owner) where state in ('active', 'pausing', 'paused')`,
  `create table transcripts (
    conversation text not null,
    token integer not null,
    number integer not null,
    said_at integer not null,
    kind text not null,
    body text not null,
    primary key (conversation, token, number)
  ) strict, without rowid`,
  `create table tokens (
    id integer primary key autoincrement,
    org text not null,
    name text not null,
    role text not null check (role in ('viewer', 'operator', 'admin')),
    hash blob not null,
    created_at integer not null,
    revoked_at integer
  ) strict`,
  `create unique index tokens_hash on tokens (hash)`,
  `create table audit (
    id integer primary key autoincrement,
    org text not null,
    at integer not null,
    actor text not null,
    action text not null,
    target text not null,
    detail text not null
  ) strict`,
  `create table idempotency_keys (
    org text not null,
    actor text not null,
    key text not null,
    request blob not null,
    status integer,
    response text,
    created_at integer not null,
    primary key (org, actor, key)
  ) strict, without rowid`,
];
