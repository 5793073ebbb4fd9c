import { Migration } from '@mikro-orm/migrations';

/** Where subjects stand for now, by which events that do not name them find them. */
export class Landmarks extends Migration {
  override up(): void {
    for (const statement of UP) this.addSql(statement);
  }

  override down(): void {
    for (const statement of DOWN) this.addSql(statement);
  }
}

const UP = [
  'alter table subjects add column landmark text check (length(landmark) between 1 and 255)',
  'create index subjects_landmark on subjects (org, namespace, landmark) where landmark is not null',
];

const DOWN = ['drop index subjects_landmark', 'alter table subjects drop column landmark'];
