import { MikroORM } from '@mikro-orm/core';
import type Sqlite from 'better-sqlite3';
import { Database } from './database.js';
import { nativeClient, ormOptions } from './open-database.js';
import { SQLITE_SETTINGS, SqliteStore, sqliteDialect } from './sqlite.js';

const CLOCK = 'throughline_now';

/** A SQLite database that is gone with its process, and whose clock is the caller's; for tests. `now`: milliseconds since 1970. */
export async function openInMemory(now: () => number): Promise<Database> {
  const orm = await MikroORM.init({ ...ormOptions('sqlite:memory'), dbName: ':memory:' });
  const connection = (await nativeClient(orm)) as Sqlite.Database;
  for (const setting of SQLITE_SETTINGS) connection.exec(setting);
  // 64 bits: a number of JavaScript's would be a real one.
  connection.function(CLOCK, () => BigInt(Math.trunc(now())));
  const dialect = { ...sqliteDialect, now: `${CLOCK}()` };
  return new Database(orm, dialect, new SqliteStore(connection, null, dialect));
}
