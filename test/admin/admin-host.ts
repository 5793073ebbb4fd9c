import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Global, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AdminAccess } from '../../src/admin/access/admin-access.js';
import { AdminModule } from '../../src/admin/admin.module.js';
import { type ConnectionInfo, HostView, type PluginInfo, type Readiness, type RouteInfo } from '../../src/admin/host-view.js';
import { Metrics } from '../../src/admin/metrics/metrics.js';
import { serveOpenApi } from '../../src/admin/openapi/openapi.js';
import { createToken } from '../../src/admin/tokens.js';
import { TriggerRegistry } from '../../src/automations/triggers/trigger-registry.js';
import { Uploads } from '../../src/automations/uploads/uploads.js';
import { Admissions } from '../../src/core/admission/admissions.js';
import { AliasBindings } from '../../src/core/alias-bindings.js';
import { ApprovalDesk } from '../../src/core/approvals/approval-desk.js';
import { AutomationDesk, AutomationWorld } from '../../src/core/automations/automation-desk.js';
import type { Surroundings } from '../../src/core/automations/surroundings.js';
import type { Listeners } from '../../src/core/automations/triggers.js';
import { Reconciliation } from '../../src/core/controls/reconciliation.js';
import { EffectLedger } from '../../src/core/effects/effect-ledger.js';
import { Operations } from '../../src/core/operations.js';
import { ConversationPurges } from '../../src/core/purges/conversation-purges.js';
import { enlist } from '../../src/core/replicas/replicas.js';
import type { Route } from '../../src/core/routing/route.js';
import { RunDesk } from '../../src/core/runs/run-desk.js';
import { RunReports } from '../../src/core/runs/run-reports.js';
import { Signals } from '../../src/core/signals.js';
import type { Role } from '../../src/core/tokens/tokens.js';
import { WebhookDesk, WebhookWorld } from '../../src/core/webhooks/webhook-desk.js';
import { Database } from '../../src/database/database.js';
import type { Value } from '../../src/database/tx.js';
import { createHttpApp } from '../../src/http/create-http-app.js';
import { DatabaseClock, type EventSource, EventSources } from '../../src/ingress/event-source.js';
import { WebhookRegistry } from '../../src/ingress/webhooks/webhook-registry.js';
import type { Parsed, WebhookTransport } from '../../src/plugin/index.js';
import { AROUND } from '../core/automations/specs.js';
import { route as anyRoute } from '../core/builders.js';
import { Core, replica } from '../core/core.js';
import { brokenRules } from '../core/invariants.js';
import { type Make, migrated } from '../databases.js';
import { githubTransport, source } from '../ingress/outside.js';

export const ADMIN_TOKEN = 'an-admin-token-of-the-environment-1';

export const UPLOAD_LIMIT = 20_000;

/** Where conversations of the workspace `main` are shown. */
const SHOWN = { connection: 'chat', parent: 'C1', limits: { title: 100, text: 2000, editMs: null } };

/** What the running server would say; tests change it. */
export class FixedHost extends HostView {
  ready: Readiness = { recovered: true, worker: 'running' };
  known: readonly string[] = ['default', 'acme'];

  constructor(private readonly held: readonly Route[] = []) {
    super();
  }

  version(): string {
    return '1.2.3';
  }

  orgs(): readonly string[] {
    return this.known;
  }

  connections(): readonly ConnectionInfo[] {
    return [
      { ...{ name: 'tracker', org: 'default', plugin: 'fake', source: 'public', secrets: 2 }, takesWebhooks: true, sources: [] },
      {
        ...{ name: 'other', org: 'acme', plugin: 'fake', source: 'private', secrets: 1, takesWebhooks: false },
        sources: [{ kind: 'stream', name: 'stream:acme/other' }],
      },
    ];
  }

  plugins(): readonly PluginInfo[] {
    return [{ name: 'fake', apiVersion: 1, transports: ['webhook'], runtimes: [] }];
  }

  routes(): readonly RouteInfo[] {
    return this.held.map((route) => ({
      ...{ name: route.name, org: route.org, connection: route.source, workspace: route.workspace, on: route.on.map((on) => on.source) },
      ...{ filter: route.filter?.source ?? null, scope: route.scope, activation: route.activation, wake: route.wake },
    }));
  }

  runtimes(): readonly string[] {
    return ['echo', 'process'];
  }

  readiness(): Readiness {
    return this.ready;
  }
}

const KEY = Buffer.alloc(32, 7);
const NO_PLACE = { optionsOf: () => ({}), sourceOf: () => null, isConfigured: () => false };
const SILENT = { unusable: () => undefined, failed: () => undefined };

/** Without the plugin that webhooks need. */
class ClosedWorld extends WebhookWorld {
  settingsFaults = () => [{ path: '', message: 'needs the plugin `webhook`' }];
  secretFault = () => null;
  newSecret = () => null;
  otherSource = () => null;
}

/** What automations lean on; `stoppedBy` is who switched which of them off. */
export class FixedWorld extends AutomationWorld {
  readonly stoppedBy: [automation: string, by: string][] = [];

  async around(): Promise<Surroundings> {
    return AROUND;
  }

  async tarballFault(): Promise<string | null> {
    return null;
  }

  async stopped(automation: string, by: string): Promise<void> {
    this.stoppedBy.push([automation, by]);
  }
}

/** A source whose payloads are what its plugin would make of them. */
const transport: WebhookTransport = {
  ...githubTransport,
  eventKey: (request, connection) => (request.payload as { key?: string }).key ?? githubTransport.eventKey(request, connection),
};

const tracker: EventSource = source('tracker', transport, {
  subjects: {
    parse: ({ payload }) => {
      const { parsed } = payload as { parsed?: Parsed };
      if (parsed === undefined) throw new Error('there is nothing to parse');
      return parsed;
    },
  },
});

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: any;
  readonly text: string;
}

interface Asked {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
}

/** The admin API over a real core and a real database. */
export class AdminHost {
  private constructor(
    readonly core: Core,
    readonly app: NestFastifyApplication,
    readonly host: FixedHost,
    readonly metrics: Metrics,
    readonly world: FixedWorld,
    /** The folder of uploads. */
    readonly uploads: string,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(make: Make, ...routes: readonly Route[]): Promise<AdminHost> {
    const { database, test, close } = await migrated(make);
    const owner = await database.transaction((tx) => enlist(tx, replica('first'), 600_000));
    const listeners: Listeners = {
      of: (org, name) => registry.of(org, name),
      get pending() {
        return registry.pending;
      },
    };
    const core = new Core(database, test, owner, routes.length === 0 ? [anyRoute()] : routes, false, false, listeners);
    const registry = new TriggerRegistry(
      database,
      core.signals,
      { aroundOf: () => AROUND, trustOf: () => 'untrusted' },
      { unreadable: () => undefined, failed: () => undefined },
    );
    await registry.start(3_600_000);
    const host = new FixedHost(routes);
    const metrics = new Metrics();
    const world = new FixedWorld();
    const uploads = mkdtempSync(path.join(os.tmpdir(), 'throughline-uploads-'));
    const app = await adminApp(core, host, metrics, world, uploads);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return new AdminHost(core, app, host, metrics, world, uploads, async () => {
      rmSync(uploads, { recursive: true, force: true });
      registry.stop();
      await close();
    });
  }

  get(url: string, asked: Asked = {}): Promise<Answer> {
    return this.ask('GET', url, asked);
  }

  post(url: string, body?: unknown, asked: Asked = {}): Promise<Answer> {
    return this.ask('POST', url, { ...asked, body });
  }

  patch(url: string, body: unknown, asked: Asked = {}): Promise<Answer> {
    return this.ask('PATCH', url, { ...asked, body });
  }

  delete(url: string, asked: Asked = {}): Promise<Answer> {
    return this.ask('DELETE', url, asked);
  }

  token(role: Role, org = 'default'): Promise<{ id: number; token: string }> {
    return this.core.database.transaction((tx) => createToken(tx, { org, name: `${role} of ${org}`, role }));
  }

  /** All items of a list, page by page. */
  async walk(url: string, limit: number): Promise<any[]> {
    const items: any[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { status, body }: Answer = await this.get(
        `${url}${url.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`,
      );
      if (status !== 200) throw new Error(JSON.stringify(body));
      items.push(...body.items);
      cursor = body.next_cursor;
    }
    return items;
  }

  /** Changes rows behind the back of the core. */
  async change(sql: string, ...values: readonly Value[]): Promise<void> {
    await this.core.database.transaction((tx) => tx.run(sql, values));
  }

  async close(): Promise<void> {
    await this.app.close();
    const broken = await brokenRules(this.core.database).finally(() => this.end());
    if (broken.length > 0) throw new Error(`the store is unsound: ${broken.join('; ')}`);
  }

  private async ask(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    { token = ADMIN_TOKEN, body, key, headers, remoteAddress }: Asked,
  ): Promise<Answer> {
    const answer = await this.app.inject({
      method,
      url,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      ...(remoteAddress !== undefined && { remoteAddress }),
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isJson = String(answer.headers['content-type']).includes('json');
    return { status: answer.statusCode, headers: answer.headers, body: isJson ? answer.json() : null, text: answer.body };
  }
}

export async function adminApp(
  core: Pick<Core, 'database' | 'signals' | 'admissions' | 'operations'>,
  host: HostView,
  metrics: Metrics,
  world: AutomationWorld = new FixedWorld(),
  uploads = '/nowhere',
): Promise<NestFastifyApplication> {
  const runs = new RunDesk(core.database, core.signals, () => null);
  const providers = [
    { provide: Database, useValue: core.database },
    { provide: Signals, useValue: core.signals },
    { provide: Admissions, useValue: core.admissions },
    { provide: AliasBindings, useValue: new AliasBindings(core.database) },
    { provide: ConversationPurges, useValue: new ConversationPurges(core.database, async () => undefined) },
    { provide: Operations, useValue: core.operations },
    {
      provide: Reconciliation,
      useValue: new Reconciliation(core.database, core.signals, (_, workspace) => (workspace === 'main' ? SHOWN : null)),
    },
    { provide: EffectLedger, useValue: new EffectLedger(core.database, core.signals) },
    { provide: ApprovalDesk, useValue: new ApprovalDesk(core.database, core.signals, Buffer.alloc(32, 7), { expiresMs: 86_400_000 }) },
    { provide: AutomationWorld, useValue: world },
    { provide: AutomationDesk, useValue: new AutomationDesk(core.database, core.signals, world) },
    { provide: RunDesk, useValue: runs },
    { provide: RunReports, useValue: new RunReports(core.database, core.signals, runs) },
    { provide: Uploads, useValue: new Uploads(core.database, uploads, UPLOAD_LIMIT) },
    { provide: WebhookDesk, useFactory: () => new WebhookDesk(core.database, core.signals, KEY, new ClosedWorld()) },
    { provide: WebhookRegistry, useFactory: () => new WebhookRegistry(core.database, core.signals, KEY, NO_PLACE, SILENT) },
    { provide: DatabaseClock, useValue: { offsetMs: () => 0 } },
    { provide: HostView, useValue: host },
    { provide: Metrics, useValue: metrics },
    { provide: AdminAccess, useValue: AdminAccess.from({ THROUGHLINE_ADMIN_TOKEN: ADMIN_TOKEN }) },
    {
      provide: EventSources,
      useValue: { find: (org: string, name: string) => (org === 'default' && name === 'tracker' ? tracker : null) },
    },
  ];
  @Global()
  @Module({ providers, exports: providers })
  class Outside {}
  const app = await createHttpApp(AdminModule.using([Outside]), {}, 'quiet');
  serveOpenApi(app, host.version());
  return app;
}
