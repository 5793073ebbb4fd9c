import { Migration } from '@mikro-orm/migrations';

/** How far a provider was asked about a gap, so that whoever goes on begins there; and how often the gap was noted meanwhile. */
export class GapProgress extends Migration {
  override up(): void {
    this.addSql('alter table gaps add column progress text');
    this.addSql('alter table gaps add column notes integer not null default 1');
  }

  override down(): void {
    this.addSql('alter table gaps drop column notes');
    this.addSql('alter table gaps drop column progress');
  }
}
