import pg from 'pg';
import { ServerProcess } from './server-process.js';

/** PostgreSQL's own number of the type int8. */
const INT8 = 20;

export const TOKEN = 'an-admin-token-of-these-tests-alone';

export interface ReplicaOptions {
  readonly url: string;
  readonly directUrl?: string;
  readonly pool?: number;
  readonly concurrency?: number;
  readonly runtime?: Record<string, unknown>;
  readonly lease?: string;
  readonly heartbeat?: string;
}

/** A server that shares its database with others. */
export function replicaProcess(options: ReplicaOptions): ServerProcess {
  const { url, directUrl, pool, concurrency = 8, runtime = { kind: 'echo' }, lease = '30s', heartbeat = '10s' } = options;
  return new ServerProcess({
    database: { url, ...(directUrl !== undefined && { directUrl }), ...(pool !== undefined && { pool }) },
    workers: { concurrency, lease, heartbeat },
    runtimes: { agent: runtime },
    workspaces: { main: { runtime: 'agent' } },
    routes: { comments: { connection: 'gh', workspace: 'main', coalesce: 1 } },
  });
}

export async function ask(server: ServerProcess, method: 'GET' | 'POST', path: string): Promise<{ status: number; body: any }> {
  const response = await fetch(`${server.url}${path}`, { method, headers: { authorization: `Bearer ${TOKEN}` } });
  return { status: response.status, body: await response.json() };
}

/** What stands in the database, past every server; 64-bit integers as numbers, as the product reads them. */
export async function rowsOf<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: url,
    types: { getTypeParser: (oid) => (oid === INT8 ? Number : pg.types.getTypeParser(oid)) },
  });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
