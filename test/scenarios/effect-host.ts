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
import { PluginRegistry } from '../../src/plugin-host/plugin-registry.js';
import type { TestDatabase } from '../databases.js';
import { BoardServer } from '../fakes/board/board-server.js';

const SECRETS = { one: 'the secret of the first hook', two: 'the secret of the second hook' };

/** A whole server in this process, with the board as its provider: two connections of one account, a route of another scope on each. */
export class EffectHost {
  private constructor(
    readonly board: BoardServer,
    readonly database: Database,
    private readonly app: NestFastifyApplication,
    private readonly host: ConfiguredHost,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(test: TestDatabase): Promise<EffectHost> {
    const board = await BoardServer.start();
    const folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-effects-'));
    const connection = (secret: string) => ({ plugin: 'board', secret, apiUrl: board.url, rate: 'off' });
    const config = {
      plugins: [new URL('../fakes/board/index.ts', import.meta.url).pathname],
      connections: { one: connection(SECRETS.one), two: connection(SECRETS.two) },
      runtimes: { echo: { kind: 'echo' } },
      workspaces: { main: { runtime: 'echo' } },
      routes: { shared: { connection: 'one', workspace: 'main' }, apart: { connection: 'two', workspace: 'main', scope: 'automation' } },
    };
    writeFileSync(path.join(folder, 'throughline.config.json'), JSON.stringify(config));
    const { loaded, host } = await loadHost({ cwd: folder, env: {} });
    const database = await test.open({ server: true });
    await migrateUp(database);
    const key = await encryptionKey({}, loaded.config.dataDir);
    const access = AdminAccess.from({ THROUGHLINE_ADMIN_TOKEN: 'a-token-for-the-tests-of-effects-1' });
    const parts = { ...host, database, self: await thisProcess(null), access, encryptionKey: key, version: '0' };
    const app = await createHttpApp(AppModule.using(parts), {}, 'quiet');
    await app.get(Lifecycle).prepare();
    await app.listen(0, '127.0.0.1');
    await app.get(Lifecycle).begin();
    const url = await app.getUrl();
    board.hooks = Object.entries(SECRETS).map(([name, secret]) => ({ url: `${url}/v1/events/default/${name}`, secret }));
    return new EffectHost(board, database, app, host, async () => {
      await board.close();
      const lifecycle = app.get(Lifecycle);
      await lifecycle.drain();
      await app.close();
      await lifecycle.end();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** As an agent's tool call would have it written. */
  write(issue: string, text: string, tool: 'comment' | 'marked_comment' = 'comment'): Promise<Performed> {
    const found = this.app
      .get(PluginRegistry)
      .get('board')
      .tools?.find(({ name }) => name === tool);
    const connection = this.host.connections.find(({ settings }) => settings.name === 'one')?.connection;
    if (!found || !connection) throw new Error('the board is not configured');
    const subject = { namespace: 'board:board-1:issue', key: issue };
    const conversation = identify('default', subject, { scope: 'subject' }).id;
    return this.app
      .get(Outbound)
      .perform({ provider: 'board', tool: found, binding: { connection, conversation, subject }, input: { text } });
  }

  rows<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    return this.database.transaction((tx) => tx.all<Row>(sql, values));
  }

  close(): Promise<void> {
    return this.end();
  }
}
