import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe } from '@jest/globals';
import pg from 'pg';
import type { Database } from '../src/database/database.js';
import { migrateUp } from '../src/database/migrate.js';
import { openDatabase } from '../src/database/open-database.js';

export interface TestDatabase {
  readonly name: 'sqlite' | 'postgresql';
  readonly url: string;
  /** Another connection of its own to the same database, as another process would have. */
  open(options?: { server?: boolean; poolSize?: number }): Promise<Database>;
  drop(): Promise<void>;
}

/** Runs the suite once on SQLite and once on PostgreSQL; `make` gives an empty database of its own each time it is called. */
export function eachDatabase(title: string, suite: (make: () => Promise<TestDatabase>) => void): void {
  describe.each(['sqlite', 'postgresql'] as const)(`${title} on %s`, (name) => suite(() => emptyDatabase(name)));
}

export function emptyDatabase(name: TestDatabase['name']): Promise<TestDatabase> {
  return name === 'sqlite' ? sqlite() : postgresDatabase();
}

/** An open, migrated database and its end. */
export async function migrated(
  make: () => Promise<TestDatabase>,
): Promise<{ database: Database; test: TestDatabase; close: () => Promise<void> }> {
  const test = await make();
  const database = await test.open();
  await migrateUp(database);
  return {
    database,
    test,
    close: async () => {
      await database.close();
      await test.drop();
    },
  };
}

async function sqlite(): Promise<TestDatabase> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-db-'));
  const url = `sqlite:${path.join(folder, 'test.db')}`;
  return {
    name: 'sqlite',
    url,
    open: (options) => openDatabase({ url, ...options }),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A database of PostgreSQL alone, for what SQLite does not have. */
export async function postgresDatabase(): Promise<TestDatabase> {
  const server = postgresServer();
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    name: 'postgresql',
    url: url.href,
    open: (options) => openDatabase({ url: url.href, ...options }),
    drop: () => administer(server, `drop database if exists ${name} with (force)`),
  };
}

function postgresServer(): string {
  const url = process.env.THROUGHLINE_TEST_PG_URL;
  if (!url) throw new Error('no PostgreSQL: the global set-up of jest starts one');
  return url;
}

async function administer(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
