// Databases for one run each: a file in a folder of its own, or a database of the benchmark's PostgreSQL.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startDurable, stop as stopPostgres } from '../../test/postgres.mjs';
import { makeFolder, removeFolder } from '../folders.mjs';
import { startRedis } from './redis.mjs';

const SERVER = 'THROUGHLINE_TEST_PG_URL';

/**
 * A new empty database: `{ kind, url, pids, drop }`, `pids` being the processes of its server where the benchmark started it.
 * PostgreSQL is started when it is first asked for.
 */
export async function createDatabase(kind) {
  switch (kind) {
    case 'sqlite':
      return sqlite();
    case 'postgres':
      return postgres();
    case 'redis':
      return { kind, ...(await startRedis()) };
    default:
      return { kind: 'none', url: '', pids: [], drop: async () => {} };
  }
}

export async function stopDatabases() {
  if (process.env[SERVER]) await stopPostgres();
}

function sqlite() {
  const folder = makeFolder();
  const drop = async () => removeFolder(folder);
  return { kind: 'sqlite', url: `sqlite:${path.join(folder, 'bench.db')}`, pids: [], drop };
}

async function postgres() {
  if (!process.env[SERVER]) await startDurable();
  const server = process.env[SERVER];
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  const administer = (sql) => onPostgres(server, (client) => client.query(sql));
  await administer(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = () => administer(`drop database if exists ${name} with (force)`);
  return { kind: 'postgres', url: url.href, pids: postmasterPids(new URL(server).port), drop };
}

export async function onPostgres(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The server's first process, by the file that it keeps; none where it runs on another machine. */
function postmasterPids(port) {
  for (const folder of readdirSync(os.tmpdir())) {
    const lines = contentOf(path.join(os.tmpdir(), folder, 'postmaster.pid'))?.split('\n');
    if (lines?.[3]?.trim() === port) return [Number(lines[0])];
  }
  return [];
}

function contentOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
