import 'reflect-metadata';
import { Logger, type LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AdminAccess } from './admin/access/admin-access.js';
import { serveOpenApi } from './admin/openapi/openapi.js';
import { ensureAdminToken } from './admin/tokens.js';
import { AppModule } from './app.module.js';
import { openStore } from './cli/open-store.js';
import { version } from './cli/version.js';
import { loadHost } from './compose/configured-host.js';
import { encryptionKey } from './compose/encryption-key.js';
import { Lifecycle } from './compose/lifecycle.js';
import { thisProcess } from './compose/this-process.js';
import type { LoadedConfig } from './config/config.js';
import type { Database } from './database/database.js';
import { migrateUp } from './database/migrate.js';
import { createHttpApp } from './http/create-http-app.js';
import { OpenRequests } from './http/open-requests.js';
import { ServerLogger } from './http/server-logger.js';

export interface ServerOptions {
  /** Where configuration is looked for, and what relative paths without a file are relative to. */
  readonly cwd: string;
  /** Path of the configuration file; else `THROUGHLINE_CONFIG`, else `throughline.config.*` in `cwd`. */
  readonly file?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where the server's own messages go. Default: to stdout and stderr. */
  readonly logger?: LoggerService;
}

export interface RunningServer {
  readonly url: string;
  /** True: nothing is configured that events could come from or go to. */
  readonly isBare: boolean;
  /** Resolves when turns have ended or been left, and everything is closed. */
  close(): Promise<void>;
}

/**
 * Loads the configuration, migrates, listens, recovers and works. Resolves when it works.
 * Throws `InvalidConfiguration` or `ConfigFault` when a person has to change something first.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const logger = options.logger ?? new ServerLogger();
  Logger.overrideLogger(logger);
  const { loaded, host } = await loadHost(options);
  const access = AdminAccess.from(options.env);
  const { url, directUrl, pool } = loaded.config.database;
  const database = await openStore({ url, server: true, poolSize: pool });
  let app: NestFastifyApplication | undefined;
  let requests: OpenRequests | undefined;
  const close = () => stop(database, app, requests);
  try {
    await migrate(database, directUrl);
    announce(await ensureAdminToken(database, { dataDir: loaded.config.dataDir, access, orgs: loaded.config.orgs }));
    const self = await thisProcess(loaded.config.server.replica);
    const key = await encryptionKey(options.env, loaded.config.dataDir);
    const parts = { ...host, database, self, access, encryptionKey: key, version: version() };
    app = await createHttpApp(AppModule.using(parts), httpOptions(loaded), logger);
    serveOpenApi(app, parts.version);
    await app.get(Lifecycle).prepare();
    requests = new OpenRequests(app.getHttpServer());
    await app.listen(loaded.config.server.port, loaded.config.server.host);
    await app.get(Lifecycle).begin();
    const { connections, routes } = loaded.config;
    // A route may name a webhook that is made through the API.
    return { url: await app.getUrl(), isBare: connections.length + routes.length === 0, close };
  } catch (error) {
    // Why it does not start matters more than what then does not stop.
    await close().catch(() => undefined);
    throw error;
  }
}

/** Past a pooler, where there is one and a way around it is given. */
async function migrate(database: Database, directUrl: string | null): Promise<void> {
  if (directUrl === null) return void (await migrateUp(database));
  const direct = await openStore({ url: directUrl });
  await migrateUp(direct).finally(() => direct.close());
}

/** Every step is taken, also after one that fails: a timer or a lock that stayed would keep the process alive. */
async function stop(database: Database, app?: NestFastifyApplication, requests?: OpenRequests): Promise<void> {
  const lifecycle = app?.get(Lifecycle);
  const faults: unknown[] = [];
  for (const step of [() => lifecycle?.drain(), () => endHttp(app, requests), () => lifecycle?.end(), () => database.close()]) {
    try {
      await step();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
}

async function endHttp(app?: NestFastifyApplication, requests?: OpenRequests): Promise<void> {
  const closing = app?.close();
  await (closing && requests ? requests.endWith(closing) : closing);
}

function announce(tokenFile: string | null): void {
  if (tokenFile !== null) new Logger('Server').log(`no admin token is configured; one was written to ${tokenFile}`);
}

function httpOptions({ config: { server } }: LoadedConfig) {
  return { publicUrl: server.publicUrl, trustedProxies: server.trustedProxies };
}
