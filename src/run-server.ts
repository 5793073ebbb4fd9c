import v8 from 'node:v8';
import { ensureConfig } from './cli/ensure-config.js';
import { StoreUnusable } from './cli/open-store.js';
import { postgresqlDialect } from './database/postgresql.js';
import { sqliteDialect } from './database/sqlite.js';
import { ConfigFault, InvalidInput } from './plugin/index.js';
import type { ServerOptions } from './server.js';

// Else the heap doubles before it is cleaned up: a server that stays up for months is to stay as small as it is.
const HEAP = '--heap-growing-percent=30';

/** Runs the server until it is told to stop. Resolves to the exit code: 0 stopped, 1 failed, 2 the configuration is at fault. */
export async function runServer(options: ServerOptions): Promise<number> {
  v8.setFlagsFromString(HEAP);
  const stop = toldToStop();
  try {
    await ensureConfig(options);
    // Loaded late: loading takes a while, and whoever says stop meanwhile is to be heard.
    const { startServer } = await import('./server.js');
    const server = await startServer(options);
    process.stdout.write(`Throughline listens on ${server.url} (API: ${server.url}/docs)\n`);
    if (server.isBare)
      process.stdout.write('no connection is configured yet: add one and a route to throughline.config.yaml, then start again\n');
    await stop;
    await server.close();
    return 0;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return isTheOperators(error) ? 2 : 1;
  }
}

/** The first signal stops gracefully, as soon as the server is up; a second one, of somebody who does not want to wait, at once. */
function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}

function isTheOperators(error: unknown): boolean {
  return error instanceof ConfigFault || error instanceof InvalidInput;
}

/** The database went away; how it was noticed tells a person nothing. */
function isOfTheStore(error: unknown): boolean {
  return error instanceof Error && [sqliteDialect, postgresqlDialect].some((dialect) => dialect.fault(error) === 'unavailable');
}

function messageOf(error: unknown): string {
  if (isTheOperators(error) || error instanceof StoreUnusable || isOfTheStore(error)) return (error as Error).message;
  const { code, address, port } = (error ?? {}) as { code?: string; address?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `another program listens on ${address}:${port} already; stop it, or set another server.port (or THROUGHLINE_SERVER__PORT)`;
  if (code === 'EACCES' && port !== undefined) return `this user may not listen on port ${port}; set a server.port above 1023`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
