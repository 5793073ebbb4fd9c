import { Migration } from '@mikro-orm/migrations';

/** What one replica at a time does for all: leases of sources, how far each was read, and the gaps to be asked for. */
export class Replicas extends Migration {
  override up(): void {
    for (const statement of STATEMENTS) this.addSql(statement);
  }

  override down(): void {
    for (const table of ['gaps', 'cursors', 'leases']) this.addSql(`drop table ${table}`);
  }
}

const STATEMENTS = [
  `create table leases (
    name text primary key,
    owner integer,
    token integer not null default 0,
    taken_at integer,
    state text,
    detail text,
    changed_at integer
  ) strict, without rowid`,
  `create table cursors (
    org text not null,
    source text not null,
    value text not null,
    token integer not null,
    updated_at integer not null,
    primary key (org, source)
  ) strict, without rowid`,
  `create table gaps (
    org text not null,
    source text not null,
    since integer not null,
    opened_at integer not null,
    tries integer not null default 0,
    failure text,
    primary key (org, source)
  ) strict, without rowid`,
];
