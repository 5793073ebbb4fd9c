import { existsSync } from 'node:fs';
import type { LoadedConfig } from '../config/config.js';
import type { Database } from '../database/database.js';
import { openDatabase } from '../database/open-database.js';
import { clock } from '../database/tx.js';
import { ConfigFault } from '../plugin/index.js';
import type { ConfigOption } from './config-option.js';
import { configurationOf } from './configuration.js';
import { messageOf } from './exit-code.js';
import type { Terminal } from './terminal.js';

const SQLITE = 'sqlite:';

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
  const database = await openStore(loaded, request.alone ?? false);
  try {
    await work(database, loaded);
  } finally {
    await database.close();
  }
}

/** Asks the database something at once: what comes later tries again for a while, and fails in less plain words. */
async function openStore(
  {
    config: {
      database: { url, directUrl },
    },
  }: LoadedConfig,
  alone: boolean,
): Promise<Database> {
  try {
    const database = await openDatabase({ url: directUrl ?? url, server: alone, poolSize: 2 });
    await database.transaction(clock).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    return database;
  } catch (cause) {
    if (cause instanceof ConfigFault) throw cause;
    throw new Error(`the database ${shownUrl(url)} cannot be used now: ${messageOf(cause)}`, { cause });
  }
}

/** The path of the SQLite file, or null where the database is another. */
export function sqliteFile(url: string): string | null {
  return url.startsWith(SQLITE) ? url.slice(SQLITE.length) : null;
}

/** True for a SQLite file that nobody has made yet; opening it would. */
export function isMissing(url: string): boolean {
  const file = sqliteFile(url);
  return file !== null && !existsSync(file);
}

/** The URL without what opens the database. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url) || url.startsWith(SQLITE)) return url;
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
