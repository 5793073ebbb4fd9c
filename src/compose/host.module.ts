import path from 'node:path';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AdminAccess } from '../admin/access/admin-access.js';
import { HostView } from '../admin/host-view.js';
import { MeasuredAdmission } from '../admin/metrics/measured-admission.js';
import { Metrics } from '../admin/metrics/metrics.js';
import { Admissions } from '../core/admission/admissions.js';
import { AliasBindings } from '../core/alias-bindings.js';
import { Operations } from '../core/operations.js';
import type { ReplicaIdentity } from '../core/replicas/replicas.js';
import { Signals } from '../core/signals.js';
import { Database } from '../database/database.js';
import { DatabaseClock, EventAdmission, EventSources } from '../ingress/event-source.js';
import { SourceSupervisor } from '../ingress/sources/source-supervisor.js';
import { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { Membership } from '../worker/membership.js';
import { WorkTable } from '../worker/work-table.js';
import { Worker } from '../worker/worker.js';
import type { ConfiguredHost } from './configured-host.js';
import { ConfiguredHostView } from './configured-host-view.js';
import { ConfiguredSources } from './event-sources.js';
import { Hearing } from './hearing.js';
import { Lifecycle } from './lifecycle.js';
import { replicaProviders } from './replica-providers.js';
import { thisMachine } from './this-process.js';
import { workTable } from './work.js';

export interface HostParts extends ConfiguredHost {
  readonly database: Database;
  readonly self: ReplicaIdentity;
  readonly access: AdminAccess;
  readonly version: string;
}

/** Where replicas may not hear from each other, work that another one made is found by looking. */
const POLL_MS = { sqlite: 1000, postgresql: 250 } as const;
const IDLE_POLL_MS = 2000;

/** The parts that everything else is given: store, core, worker, and what the configuration says. */
@Global()
@Module({})
export class HostModule {
  static using(parts: HostParts, plugins: DynamicModule): DynamicModule {
    const core = [
      { provide: Database, useValue: parts.database },
      Signals,
      {
        provide: Admissions,
        inject: [Database, Signals],
        useFactory: (database: Database, signals: Signals) => new Admissions(database, parts.routes, signals),
      },
      { provide: AliasBindings, inject: [Database], useFactory: (database: Database) => new AliasBindings(database) },
      {
        provide: Operations,
        inject: [Database, Signals],
        useFactory: (database: Database, signals: Signals) => new Operations(database, signals),
      },
    ];
    const ingress = [
      {
        provide: EventAdmission,
        inject: [Admissions, Metrics],
        useFactory: (within: Admissions, metrics: Metrics) => new MeasuredAdmission(within, metrics),
      },
      {
        provide: EventSources,
        inject: [PluginRegistry],
        useFactory: (registry: PluginRegistry) => new ConfiguredSources(parts.config, parts.connections, registry),
      },
      { provide: DatabaseClock, useExisting: Membership },
    ];
    const providers = [...core, ...ingress, ...workProviders(parts), ...replicaProviders(parts), ...adminProviders(parts)];
    return { module: HostModule, imports: [plugins], providers, exports: [...providers, plugins] };
  }
}

function adminProviders(parts: HostParts) {
  return [
    { provide: AdminAccess, useValue: parts.access },
    {
      provide: Metrics,
      inject: [Signals],
      useFactory: (signals: Signals) => {
        const metrics = new Metrics();
        signals.on('expired', (claims) => metrics.leasesExpired(claims));
        return metrics;
      },
    },
    {
      provide: HostView,
      inject: [PluginRegistry, Lifecycle],
      useFactory: (registry: PluginRegistry, lifecycle: Lifecycle) => new ConfiguredHostView(parts, registry, lifecycle, parts.version),
    },
  ];
}

function workProviders({ config, routes, database, self }: HostParts) {
  const { workers, dataDir } = config;
  const placements = config.routes.map(({ org, name, workspace }) => ({ org, route: name, workspace }));
  return [
    {
      provide: Lifecycle,
      inject: [Membership, Worker, SourceSupervisor, Hearing],
      useFactory: (membership: Membership, worker: Worker, sources: SourceSupervisor, hearing: Hearing) =>
        new Lifecycle(database, membership, worker, placements, [
          { prepare: () => sources.noteGaps(), begin: () => sources.start(), drain: () => sources.stop() },
          { begin: () => hearing.start(), end: () => hearing.stop() },
        ]),
    },
    { provide: WorkTable, inject: [PluginRegistry], useFactory: (registry: PluginRegistry) => workTable(config, routes, registry) },
    {
      provide: Membership,
      inject: [Signals],
      useFactory: (signals: Signals) => new Membership(database, self, workers, thisMachine, signals),
    },
    {
      provide: Worker,
      inject: [Membership, Signals, WorkTable],
      useFactory: (membership: Membership, signals: Signals, table: WorkTable) => {
        const onActivity = (conversation: string) => signals.emit('activity', conversation);
        const now = () => Date.now() + membership.offsetMs();
        const context = { database, table, workspacesFolder: path.join(dataDir, 'workspaces'), now, onActivity };
        const { concurrency, perWorkspace, perOrg, maxAttempts, backoff, graceMs } = workers;
        return new Worker(database, membership, signals, context, {
          concurrency,
          perWorkspace,
          perOrg,
          graceMs,
          ...{ pollMs: POLL_MS[database.dialect.name], idlePollMs: IDLE_POLL_MS },
          retry: { maxAttempts, backoff },
        });
      },
    },
  ];
}
