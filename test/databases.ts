import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe } from '@jest/globals';
import pg from 'pg';
import type { Database } from '../src/database/database.js';
import { migrateUp } from '../src/database/migrate.js';
import { openDatabase } from '../src/database/open-database.js';

/** Each process of a run has its own, since neither database can be copied while somebody else makes or copies it. */
const TEMPLATE = `throughline_migrated_${process.env.TEST_RUN_ID}_${process.env.JEST_WORKER_ID}`;

export interface TestDatabase {
  readonly name: 'sqlite' | 'postgresql';
  readonly url: string;
  /** Another connection of its own to the same database, as another process would have. */
  open(options?: { server?: boolean; poolSize?: number }): Promise<Database>;
  drop(): Promise<void>;
}

/** Gives an empty database of its own each time it is called. */
export interface Make {
  (): Promise<TestDatabase>;
  /** One with the schema of this build: a copy of one that each process of a run migrates once. */
  migrated(): Promise<TestDatabase>;
}

/** Runs the suite once on SQLite and once on PostgreSQL. */
export function eachDatabase(title: string, suite: (make: Make) => void): void {
  describe.each(['sqlite', 'postgresql'] as const)(`${title} on %s`, (name) =>
    suite(Object.assign(() => emptyDatabase(name), { migrated: name === 'sqlite' ? migratedSqlite : migratedPostgres })),
  );
}

export function emptyDatabase(name: TestDatabase['name']): Promise<TestDatabase> {
  return name === 'sqlite' ? sqlite() : postgresDatabase();
}

/** An open, migrated database and its end. */
export async function migrated(make: Make): Promise<{ database: Database; test: TestDatabase; close: () => Promise<void> }> {
  const test = await make.migrated();
  const database = await test.open();
  return {
    database,
    test,
    close: async () => {
      await database.close();
      await test.drop();
    },
  };
}

async function sqlite(template?: string): Promise<TestDatabase> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-db-'));
  const file = path.join(folder, 'test.db');
  if (template) copyFileSync(template, file);
  const url = `sqlite:${file}`;
  return {
    name: 'sqlite',
    url,
    open: (options) => openDatabase({ url, ...options }),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function migratedSqlite(): Promise<TestDatabase> {
  const template = path.join(os.tmpdir(), `${TEMPLATE}.db`);
  if (!existsSync(template)) await makeTemplate(`sqlite:${template}`);
  return sqlite(template);
}

/** A database of PostgreSQL alone, for what SQLite does not have. */
export async function postgresDatabase(template?: string): Promise<TestDatabase> {
  const server = postgresServer();
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `create database ${name} ${template ? `template ${template}` : ''}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    name: 'postgresql',
    url: url.href,
    open: (options) => openDatabase({ url: url.href, ...options }),
    drop: async () => void (await administer(server, `drop database if exists ${name} with (force)`)),
  };
}

async function migratedPostgres(): Promise<TestDatabase> {
  const server = postgresServer();
  const found = await administer(server, `select 1 from pg_database where datname = '${TEMPLATE}'`);
  if (found.length === 0) {
    await administer(server, `create database ${TEMPLATE}`);
    const url = new URL(server);
    url.pathname = `/${TEMPLATE}`;
    await makeTemplate(url.href);
  }
  return postgresDatabase(TEMPLATE);
}

async function makeTemplate(url: string): Promise<void> {
  const database = await openDatabase({ url });
  await migrateUp(database).finally(() => database.close());
}

function postgresServer(): string {
  const url = process.env.THROUGHLINE_TEST_PG_URL;
  if (!url) throw new Error('no PostgreSQL: the global set-up of jest starts one');
  return url;
}

async function administer(server: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
