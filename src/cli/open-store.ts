import type { Database } from '../database/database.js';
import { type DatabaseOptions, openDatabase } from '../database/open-database.js';
import { clock } from '../database/tx.js';
import { ConfigFault } from '../plugin/index.js';
import { messageOf } from './exit-code.js';

const SQLITE = 'sqlite:';

/** Its message is all that a person needs to know. */
export class StoreUnusable extends Error {}

/** Asks the database something at once: what comes later tries again for a while, and fails in less plain words. */
export async function openStore(options: DatabaseOptions): Promise<Database> {
  try {
    const database = await openDatabase(options);
    await database.transaction(clock).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    return database;
  } catch (cause) {
    if (cause instanceof ConfigFault) throw cause;
    throw new StoreUnusable(`database.url: the database ${shownUrl(options.url)} cannot be used now: ${messageOf(cause)}`, { cause });
  }
}

/** The path of the SQLite file, or null where the database is another. */
export function sqliteFile(url: string): string | null {
  return url.startsWith(SQLITE) ? url.slice(SQLITE.length) : null;
}

/** The URL without what opens the database. */
export function shownUrl(url: string): string {
  if (url.startsWith(SQLITE)) return url;
  if (!URL.canParse(url)) return `${/^\w+:/.exec(url)?.[0] ?? ''}//…`;
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
