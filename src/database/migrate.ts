import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigFault } from '../plugin/errors.js';
import type { Database } from './database.js';

export interface SchemaStatus {
  /** Migrations that the database has and this build knows. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Migrations that the database has and this build does not know: a newer version wrote them. */
  readonly unknown: readonly string[];
}

const TRIES = 8;
const PAUSE_MS = 50;

export async function schemaStatus(database: Database): Promise<SchemaStatus> {
  const { migrator } = database.orm;
  const known = (database.orm.config.get('migrations').migrationsList ?? []).map((migration) => (migration as { name: string }).name);
  const applied = (await migrator.getExecuted()).map((migration) => migration.name);
  return {
    applied: applied.filter((name) => known.includes(name)),
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/** Brings the schema up to this build's. Several replicas may do so at once: one wins, the others find it done. */
export async function migrateUp(database: Database): Promise<readonly string[]> {
  for (let tried = 1; ; tried++) {
    try {
      const { pending } = await knownSchema(database);
      if (pending.length > 0) await database.orm.migrator.up();
      return pending;
    } catch (error) {
      if (error instanceof ConfigFault || tried === TRIES) throw error;
      await sleep(PAUSE_MS * tried);
    }
  }
}

/** Takes the newest migration back, with all that it stored. Resolves to its name, or null when there is none. */
export async function migrateDown(database: Database): Promise<string | null> {
  const { applied } = await knownSchema(database);
  if (applied.length > 0) await database.orm.migrator.down();
  return applied.at(-1) ?? null;
}

async function knownSchema(database: Database): Promise<SchemaStatus> {
  const status = await schemaStatus(database);
  if (status.unknown.length === 0) return status;
  throw new ConfigFault(
    `the database was migrated by a newer version of Throughline (${status.unknown.join(', ')}): run that version, or restore a backup from before it`,
  );
}
