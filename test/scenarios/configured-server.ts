import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AdminAccess } from '../../src/admin/access/admin-access.js';
import { AppModule } from '../../src/app.module.js';
import { type ConfiguredHost, loadHost } from '../../src/compose/configured-host.js';
import { encryptionKey } from '../../src/compose/encryption-key.js';
import { Lifecycle } from '../../src/compose/lifecycle.js';
import { thisProcess } from '../../src/compose/this-process.js';
import { identify } from '../../src/core/conversations/conversation-id.js';
import { Outbound, type Performed } from '../../src/core/effects/outbound.js';
import type { Database } from '../../src/database/database.js';
import { migrateUp } from '../../src/database/migrate.js';
import type { Value } from '../../src/database/tx.js';
import { createHttpApp } from '../../src/http/create-http-app.js';
import type { Subject } from '../../src/plugin/index.js';
import { PluginRegistry } from '../../src/plugin-host/plugin-registry.js';
import type { TestDatabase } from '../databases.js';

const TOKEN = 'a-token-for-the-tests-of-effects-1';

/** A whole server in this process, as a configuration says it. */
export class ConfiguredServer {
  private constructor(
    readonly url: string,
    readonly database: Database,
    private readonly app: NestFastifyApplication,
    private readonly host: ConfiguredHost,
    private readonly folder: string,
  ) {}

  /** `given`: the key of an installation that was here before. */
  static async start(test: TestDatabase, config: object, given?: Buffer): Promise<ConfiguredServer> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-server-'));
    writeFileSync(path.join(folder, 'throughline.config.json'), JSON.stringify(config));
    const { loaded, host } = await loadHost({ cwd: folder, env: {} });
    const database = await test.open({ server: true });
    await migrateUp(database);
    const key = given ?? (await encryptionKey({}, loaded.config.dataDir));
    const access = AdminAccess.from({ THROUGHLINE_ADMIN_TOKEN: TOKEN });
    const parts = { ...host, database, self: await thisProcess(loaded.config.server.replica), access, encryptionKey: key, version: '0' };
    const app = await createHttpApp(AppModule.using(parts), {}, 'quiet');
    await app.get(Lifecycle).prepare();
    await app.listen(0, '127.0.0.1');
    await app.get(Lifecycle).begin();
    return new ConfiguredServer(await app.getUrl(), database, app, host, folder);
  }

  /** As an agent's tool call would have it written. */
  write(name: string, tool: string, subject: Subject, input: object): Promise<Performed> {
    const configured = this.host.connections.find(({ settings }) => settings.name === name);
    if (!configured) throw new Error(`there is no connection ${name}`);
    const { settings, connection } = configured;
    const { tools = [] } = this.app.get(PluginRegistry).get(settings.plugin);
    const found = tools.find((each) => each.name === tool);
    if (!found) throw new Error(`${settings.plugin} has no tool ${tool}`);
    const conversation = identify(connection.org, subject, { scope: 'subject' }).id;
    return this.app
      .get(Outbound)
      .perform({ provider: settings.plugin, tool: found, binding: { connection, conversation, subject }, input });
  }

  /** Asks the admin API. */
  async ask<Body>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    { token = TOKEN, key }: { token?: string; key?: string } = {},
  ): Promise<{ status: number; body: Body }> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const answer = await fetch(`${this.url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: (answer.status === 204 ? null : await answer.json()) as Body };
  }

  rows<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    return this.database.transaction((tx) => tx.all<Row>(sql, values));
  }

  async close(): Promise<void> {
    const lifecycle = this.app.get(Lifecycle);
    await lifecycle.drain();
    await this.app.close();
    await lifecycle.end();
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
