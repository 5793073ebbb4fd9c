import { existsSync } from 'node:fs';
import type { LoadedConfig } from '../config/config.js';
import type { Database } from '../database/database.js';
import type { ConfigOption } from './config-option.js';
import { configurationOf } from './configuration.js';
import { openStore, sqliteFile } from './open-store.js';
import type { Terminal } from './terminal.js';

export interface StoreRequest extends ConfigOption {
  /** Refused while a server holds the SQLite file. */
  readonly alone?: boolean;
}

/** Opens the configured database for the work, past a pooler where that can be, and closes it however the work ends. */
export async function withStore(
  terminal: Terminal,
  request: StoreRequest,
  work: (database: Database, loaded: LoadedConfig) => Promise<void>,
): Promise<void> {
  const loaded = await configurationOf(terminal, request);
  const { url, directUrl } = loaded.config.database;
  const database = await openStore({ url: directUrl ?? url, server: request.alone ?? false, poolSize: 2 });
  try {
    await work(database, loaded);
  } finally {
    await database.close();
  }
}

/** True for a SQLite file that nobody has made yet; opening it would. */
export function isMissing(url: string): boolean {
  const file = sqliteFile(url);
  return file !== null && !existsSync(file);
}
