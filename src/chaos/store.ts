import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { Database } from '../database/database.js';
import { openDatabase } from '../database/open-database.js';
import { packageFolder } from '../demo/package-folder.js';

export type StoreKind = 'sqlite' | 'postgres';

/** A database for one run. */
export interface ChaosStore {
  readonly url: string;
  /** A connection of our own, beside those of the servers. */
  open(): Promise<Database>;
  /** Drops what is not in the folder of the run. */
  remove(): Promise<void>;
}

export async function makeStore(kind: StoreKind, folder: string): Promise<ChaosStore> {
  if (kind === 'postgres') return postgres();
  const url = `sqlite:${path.join(folder, 'throughline.db')}`;
  return { url, open: () => openDatabase({ url }), remove: async () => undefined };
}

/** The PostgreSQL of the tests: the one that `THROUGHLINE_TEST_PG_URL` names, else one that is started now. */
interface TestPostgres {
  default(): Promise<void>;
  stop(): Promise<void>;
}

async function postgres(): Promise<ChaosStore> {
  const server: TestPostgres = await import(pathToFileURL(path.join(packageFolder(), 'test', 'postgres.mjs')).href);
  await server.default();
  const admin = process.env['THROUGHLINE_TEST_PG_URL'] ?? '';
  const name = `chaos_${randomUUID().replaceAll('-', '')}`;
  await administer(admin, `create database ${name}`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    open: () => openDatabase({ url: url.href, poolSize: 2 }),
    remove: async () => {
      await administer(admin, `drop database if exists ${name} with (force)`);
      await server.stop();
    },
  };
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
