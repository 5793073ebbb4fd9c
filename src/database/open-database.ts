import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { MikroORM, type Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { SqliteDriver } from '@mikro-orm/sqlite';
import type Sqlite from 'better-sqlite3';
import { ConfigFault } from '../plugin/errors.js';
import { Database } from './database.js';
import { postgresqlMigrations } from './migrations/postgresql/index.js';
import { sqliteMigrations } from './migrations/sqlite/index.js';
import { type OpenPool, OwnConnection } from './own-connection.js';
import { type PostgresPool, PostgresStore, postgresqlDialect } from './postgresql.js';
import { lockForServer } from './server-lock.js';
import { SQLITE_SETTINGS, SqliteStore, sqliteDialect } from './sqlite.js';

export interface DatabaseOptions {
  /** `sqlite:<path>` or `postgresql://…`. */
  readonly url: string;
  /** True: this process is to be the one server of a SQLite file. */
  readonly server?: boolean;
  /** Connections to PostgreSQL at the most. Default 10. */
  readonly poolSize?: number;
}

/** Opens the database. Throws `ConfigFault` for a URL of no known kind and for a SQLite file that another server holds. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return isPostgres(options.url) ? openPostgres(options) : openSqlite(options);
}

/** The settings by which MikroORM's own command line finds the migrations. */
export function ormOptions(url: string, poolSize = 10): Partial<Options> {
  const common: Partial<Options> = { entities: [], discovery: { warnWhenNoEntities: false }, extensions: [Migrator] };
  const migrations = { tableName: 'schema_migrations', snapshot: false, silent: true, allOrNothing: true };
  if (!isPostgres(url))
    return { ...common, driver: SqliteDriver, dbName: sqlitePath(url), migrations: { ...migrations, migrationsList: sqliteMigrations } };
  return {
    ...common,
    driver: PostgreSqlDriver,
    clientUrl: url,
    // A heartbeat must not have to wait for a new connection, nor for ever for an answer.
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 300_000 },
    driverOptions: {
      connectionTimeoutMillis: 10_000,
      query_timeout: 20_000,
      keepAlive: true,
      application_name: 'throughline',
      pipeline: true,
    },
    migrations: { ...migrations, migrationsList: postgresqlMigrations },
  };
}

async function openPostgres({ url, poolSize }: DatabaseOptions): Promise<Database> {
  const orm = await MikroORM.init(ormOptions(url, poolSize));
  const own = new OwnConnection(() => openPool(url));
  const pool = (await nativeClient(orm)) as PostgresPool;
  return new Database(orm, postgresqlDialect, new PostgresStore(pool), {
    beside: new PostgresStore(own),
    close: () => own.close(),
  });
}

/** Connections beside the database's own, for what needs one to itself. */
export async function openPool(url: string): Promise<OpenPool> {
  const orm = await MikroORM.init(ormOptions(url, 1));
  return { pool: (await nativeClient(orm)) as PostgresPool, close: () => orm.close() };
}

async function openSqlite({ url, server }: DatabaseOptions): Promise<Database> {
  const file = sqlitePath(url);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${file} is a folder, and no file`);
  makeFolder(path.dirname(file));
  const unlock = server ? lockForServer(file) : undefined;
  try {
    const orm = await MikroORM.init(ormOptions(url));
    const connection = (await nativeClient(orm)) as Sqlite.Database;
    for (const setting of SQLITE_SETTINGS) connection.exec(setting);
    return new Database(orm, sqliteDialect, new SqliteStore(connection, file), unlock && { close: unlock });
  } catch (error) {
    unlock?.();
    throw error;
  }
}

/** One after the other: made recursively, a folder below one that takes none (such as `/proc`) is tried for ever. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder);
  } catch (cause) {
    if (!existsSync(folder)) throw new Error(`the folder ${folder} cannot be made: ${(cause as Error).message}`, { cause });
  }
}

export function nativeClient(orm: MikroORM): Promise<unknown> {
  return (orm.em.getDriver().getConnection() as unknown as { getNativeClient(): Promise<unknown> }).getNativeClient();
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

function sqlitePath(url: string): string {
  const file = url.match(/^sqlite:(?:\/\/)?(.+)$/)?.[1];
  if (!file || file === ':memory:')
    throw new ConfigFault('database.url must be `sqlite:<path of a file>` or `postgresql://user:password@host:port/name`');
  return path.resolve(file);
}
