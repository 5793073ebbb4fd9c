import { Migration } from '@mikro-orm/migrations';

/** Writes of ours at providers, and the events that they may have caused. */
export class Effects extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    this.addSql('drop table effect_candidates');
    this.addSql('drop table effects');
  }
}

const STATEMENTS = [
  `create table effects (
    id uuid primary key,
    org text not null,
    provider text not null,
    source text not null,
    tool text not null,
    account text not null,
    kind text not null,
    action text not null,
    namespace text,
    key text,
    scope bytea not null,
    request bytea not null,
    marker text,
    state text not null check (state in ('prepared', 'executing', 'confirmed', 'failed', 'outcome_unknown', 'reconciled_absent')),
    reason text,
    evidence bytea,
    evidence_ids text,
    conversation uuid not null,
    owner integer not null,
    created_at bigint not null,
    executing_at bigint,
    resolved_at bigint,
    resolved_by text,
    resolved_why text,
    next_read_at bigint,
    reads integer not null default 0,
    check ((namespace is null) = (key is null)),
    check ((evidence is null) = (evidence_ids is null)),
    check (state <> 'confirmed' or evidence is not null),
    check ((state = 'failed') = (reason is not null)),
    check ((state in ('prepared', 'executing', 'outcome_unknown')) = (resolved_at is null)),
    check ((state = 'outcome_unknown') = (next_read_at is not null)),
    check (executing_at is not null or state in ('prepared', 'failed'))
  )`,
  `create index effects_undecided on effects (scope) where state in ('executing', 'outcome_unknown')`,
  `create index effects_evidence on effects (scope, evidence) where evidence is not null`,
  `create unique index effects_marker on effects (marker) where marker is not null`,
  `create index effects_unfinished_owner on effects (owner) where state in ('prepared', 'executing')`,
  `create index effects_unread on effects (next_read_at) where next_read_at is not null`,
  `create index effects_resolved on effects (resolved_at) where resolved_at is not null`,
  `create index effects_by_time on effects (org, created_at, id)`,
  `create table effect_candidates (
    effect uuid not null,
    receipt bigint not null,
    evidence bytea not null,
    held_at bigint not null,
    primary key (effect, receipt)
  )`,
  `create index effect_candidates_receipt on effect_candidates (receipt)`,
];
