import { Migration } from '@mikro-orm/migrations';

/** What people are asked before it is done, and the conversations whose agents have read what strangers wrote. */
export class Approvals extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = [
  `create table approvals (
    id text primary key check (length(id) between 20 and 64),
    org text not null,
    kind text not null check (kind in ('write', 'permission')),
    conversation uuid not null,
    ending integer not null,
    cleared_to bigint not null,
    token bigint,
    route text,
    source text,
    provider text,
    tool text,
    scope text,
    request text not null,
    title text not null,
    body bytea not null,
    body_hash bytea not null,
    seal bytea not null,
    state text not null check (state in ('pending', 'approved', 'executed', 'failed', 'denied', 'expired', 'void')),
    reason text,
    waits_until bigint,
    created_at bigint not null,
    expires_at bigint not null,
    decided_at bigint,
    decided_by text,
    decided_why text,
    owner integer,
    effect uuid,
    result text,
    ended_at bigint,
    told_at bigint,
    check ((kind = 'write') = (tool is not null and source is not null and provider is not null and scope is not null)),
    check ((state in ('pending', 'approved')) = (ended_at is null)),
    check ((decided_at is null) = (decided_by is null)),
    check (state not in ('approved', 'executed', 'denied') or decided_at is not null),
    check (state <> 'failed' or reason is not null),
    check (effect is null or kind = 'write'),
    check (told_at is null or ended_at is not null)
  )`,
  'create unique index approvals_request on approvals (conversation, request)',
  'create index approvals_by_time on approvals (org, created_at, id)',
  'create index approvals_unfinished on approvals (conversation) where ended_at is null',
  `create index approvals_expiring on approvals (expires_at) where state = 'pending'`,
  `create index approvals_approved on approvals (decided_at) where state = 'approved'`,
  'create index approvals_untold on approvals (ended_at) where ended_at is not null and told_at is null',
  'create index approvals_ended on approvals (ended_at) where ended_at is not null',
  'alter table conversations add column tainted smallint not null default 0',
  `update conversations set tainted = 1 where exists (select 1 from deliveries d
    where d.conversation = conversations.id and d.trust = 'untrusted' and d.sequence > conversations.cleared_to)`,
];

const DOWN = ['alter table conversations drop column tainted', 'drop table approvals'];
