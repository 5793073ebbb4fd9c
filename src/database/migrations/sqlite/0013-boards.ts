import { Migration } from '@mikro-orm/migrations';

/** Conversations that their provider has moved to another workspace than the one that their route names. */
export class Boards extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = ['alter table conversations add column moved integer not null default 0'];

const DOWN = ['alter table conversations drop column moved'];
