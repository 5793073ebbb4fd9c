import { dirname, join, resolve } from 'node:path';
import type { DatabaseConfig } from '../config.js';
import type { Scope } from './scope.js';

const SQLITE = 'sqlite:';
const IN_MEMORY = ':memory:';
const DEFAULT_POOL = 10;

interface Storage {
  readonly database: DatabaseConfig;
  readonly dataDir: string;
}

/** The data folder is that of the SQLite file, else `data` beside the configuration. */
export function resolveStorage({ file: { database }, folder, faults }: Scope): Storage {
  const directUrl = database.directUrl ?? null;
  const fallback = join(folder, 'data');
  const pool = database.pool ?? DEFAULT_POOL;
  if (!database.url.startsWith(SQLITE)) return { database: { url: database.url, directUrl, pool }, dataDir: fallback };
  for (const key of ['directUrl', 'pool'] as const)
    if (database[key] !== undefined) faults.push({ path: `database.${key}`, message: 'goes with a PostgreSQL `url` only' });
  const path = database.url.slice(SQLITE.length).replace(/^\/\/(?=\/)/, '');
  if (path === IN_MEMORY) return { database: { url: database.url, directUrl: null, pool }, dataDir: fallback };
  const file = resolve(folder, path);
  return { database: { url: SQLITE + file, directUrl: null, pool }, dataDir: dirname(file) };
}
