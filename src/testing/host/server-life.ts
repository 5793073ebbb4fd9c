import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AdminAccess } from '../../admin/access/admin-access.js';
import { AppModule } from '../../app.module.js';
import { type ConfiguredHost, loadHost } from '../../compose/configured-host.js';
import { EffectWork } from '../../compose/effect-work.js';
import { encryptionKey } from '../../compose/encryption-key.js';
import { Lifecycle } from '../../compose/lifecycle.js';
import { thisProcess } from '../../compose/this-process.js';
import { Signals } from '../../core/signals.js';
import type { Database } from '../../database/database.js';
import { createHttpApp } from '../../http/create-http-app.js';
import type { PluginDefinition } from '../../plugin/index.js';
import { Membership } from '../../worker/membership.js';
import { CutDatabase } from './cut-database.js';

/** What every life of a server has in common. */
export interface Surroundings {
  readonly database: Database;
  /** Where its configuration and its files are. */
  readonly folder: string;
  readonly plugins: readonly PluginDefinition[];
  readonly adminToken: string;
}

/** One server from its start to its end. */
export class ServerLife {
  private constructor(
    readonly url: string,
    readonly host: ConfiguredHost,
    private readonly app: NestFastifyApplication,
    private readonly database: CutDatabase,
  ) {}

  static async begin({ database: whole, folder, plugins, adminToken }: Surroundings): Promise<ServerLife> {
    const { loaded, host } = await loadHost({ cwd: folder, env: {}, plugins });
    const database = new CutDatabase(whole);
    const access = AdminAccess.from({ THROUGHLINE_ADMIN_TOKEN: adminToken });
    const self = await thisProcess(null);
    const parts = { ...host, database, self, access, encryptionKey: await encryptionKey({}, loaded.config.dataDir), version: 'test' };
    const app = await createHttpApp(AppModule.using(parts), {}, 'quiet');
    const lifecycle = app.get(Lifecycle);
    await lifecycle.prepare();
    await app.listen(0, '127.0.0.1');
    await lifecycle.begin();
    const life = new ServerLife(await app.getUrl(), host, app, database);
    await life.lookAround();
    return life;
  }

  get<Part>(part: abstract new (...given: never[]) => Part): Part {
    return this.app.get(part as never) as Part;
  }

  /** Everything that waits for a time looks at the clock again. */
  async lookAround(): Promise<void> {
    await this.get(Membership).refresh();
    this.get(EffectWork).look();
    for (const about of ['ready', 'sources', 'automations', 'webhooks', 'runs'] as const) this.get(Signals).emit(about);
    this.hurry();
  }

  /** What is looked for now and then is looked for now. */
  hurry(): void {
    const signals = this.get(Signals);
    for (const about of ['jobs', 'errands'] as const) signals.emit(about);
    signals.emit('approvals', []);
  }

  async end(): Promise<void> {
    const lifecycle = this.get(Lifecycle);
    await lifecycle.drain();
    await this.app.close();
    await lifecycle.end();
  }

  /** From now on nothing of it reaches the store; what it then still does in vain ends as quickly as it can. */
  async crash(): Promise<void> {
    this.database.cut();
    this.get(Signals).emit('lost');
    const lifecycle = this.get(Lifecycle);
    for (const step of [() => lifecycle.drain(), () => this.app.close(), () => lifecycle.end()]) await step().catch(() => undefined);
  }
}
