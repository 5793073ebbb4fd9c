import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AdminAccess } from '../admin/access/admin-access.js';
import { HostView } from '../admin/host-view.js';
import { MeasuredAdmission } from '../admin/metrics/measured-admission.js';
import { Metrics } from '../admin/metrics/metrics.js';
import { Admissions } from '../core/admission/admissions.js';
import { AliasBindings } from '../core/alias-bindings.js';
import { Maintenance } from '../core/maintenance/maintenance.js';
import { Operations } from '../core/operations.js';
import { ConversationPurges } from '../core/purges/conversation-purges.js';
import type { ReplicaIdentity } from '../core/replicas/replicas.js';
import { Signals } from '../core/signals.js';
import { Database } from '../database/database.js';
import { DatabaseClock, EventAdmission, EventSources } from '../ingress/event-source.js';
import { SourceSupervisor } from '../ingress/sources/source-supervisor.js';
import { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { cleanupKinds } from '../worker/cleanup/job-kinds.js';
import { JobRunner } from '../worker/cleanup/job-runner.js';
import { Membership } from '../worker/membership.js';
import type { WorkContext } from '../worker/work-on.js';
import { WorkTable } from '../worker/work-table.js';
import { Worker } from '../worker/worker.js';
import type { ConfiguredHost } from './configured-host.js';
import { ConfiguredHostView } from './configured-host-view.js';
import { ConfiguredProviders } from './configured-providers.js';
import { EffectWork, effectProviders } from './effect-work.js';
import { ConfiguredSources } from './event-sources.js';
import { Hearing } from './hearing.js';
import { Lifecycle } from './lifecycle.js';
import { replicaProviders } from './replica-providers.js';
import { thisMachine } from './this-process.js';
import { maintenanceOf, removerOf } from './upkeep.js';
import { workTable } from './work.js';
import { workContext } from './work-context.js';

export interface HostParts extends ConfiguredHost {
  readonly database: Database;
  readonly self: ReplicaIdentity;
  readonly access: AdminAccess;
  readonly encryptionKey: Buffer;
  readonly version: string;
}

/** Where replicas may not hear from each other, work that another one made is found by looking. */
const POLL_MS = { sqlite: 1000, postgresql: 250 } as const;
const IDLE_POLL_MS = 2000;
const JOBS_AT_ONCE = 4;
const WORK = Symbol('WorkContext');

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
        inject: [Database, Signals, ConfiguredProviders],
        useFactory: (database: Database, signals: Signals, providers: ConfiguredProviders) =>
          new Admissions(database, parts.routes, signals, (org, source) => providers.find(org, source)?.provider.preparer !== undefined),
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
        provide: ConfiguredProviders,
        inject: [PluginRegistry],
        useFactory: (registry: PluginRegistry) => new ConfiguredProviders(parts.connections, registry),
      },
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
    const providers = [
      ...core,
      ...ingress,
      ...workProviders(parts),
      ...replicaProviders(parts),
      ...effectProviders(parts),
      ...adminProviders(parts),
    ];
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
        signals.on('alert', (about) => metrics.alerted(about));
        signals.on('parked', (kind) => metrics.wasParked(kind));
        signals.on('conflicts', (count) => metrics.conflicted(count));
        signals.on('pruned', (kind, count) => metrics.prunedOf(kind, count));
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

function workProviders(parts: HostParts) {
  const { config, routes, database, self } = parts;
  const { workers } = config;
  const placements = config.routes.map(({ org, name, workspace }) => ({ org, route: name, workspace }));
  return [
    {
      provide: Lifecycle,
      inject: [Membership, Worker, SourceSupervisor, Hearing, JobRunner, EffectWork, Maintenance],
      useFactory: (
        membership: Membership,
        worker: Worker,
        sources: SourceSupervisor,
        hearing: Hearing,
        jobs: JobRunner,
        effects: EffectWork,
        maintenance: Maintenance,
      ) =>
        new Lifecycle(database, membership, worker, placements, [
          { prepare: () => sources.noteGaps(), begin: () => sources.start(), drain: () => sources.stop() },
          { begin: () => hearing.start(), end: () => hearing.stop() },
          { begin: () => effects.start(), end: () => effects.stop() },
          // A process that only accepts cleans up as little as it works.
          ...(workers.concurrency === 0 ? [] : [{ begin: () => jobs.start(), drain: () => jobs.stop() }]),
          { begin: () => maintenance.start(), drain: () => maintenance.stop() },
        ]),
    },
    {
      provide: ConversationPurges,
      inject: [WORK],
      useFactory: ({ workspacesFolder }: WorkContext) => new ConversationPurges(database, removerOf(workspacesFolder)),
    },
    {
      provide: Maintenance,
      inject: [Signals, ConversationPurges],
      useFactory: (signals: Signals, purges: ConversationPurges) => maintenanceOf(database, config.retention, signals, purges),
    },
    { provide: WorkTable, inject: [PluginRegistry], useFactory: (registry: PluginRegistry) => workTable(config, routes, registry) },
    {
      provide: Membership,
      inject: [Signals],
      useFactory: (signals: Signals) => new Membership(database, self, workers, thisMachine, signals),
    },
    {
      provide: WORK,
      inject: [Membership, Signals, WorkTable, ConfiguredProviders],
      useFactory: (membership: Membership, signals: Signals, table: WorkTable, providers: ConfiguredProviders) =>
        workContext({ database, dataDir: config.dataDir, bootId: self.bootId }, { membership, signals, table, providers }),
    },
    {
      provide: JobRunner,
      inject: [Membership, Signals, WORK],
      useFactory: (membership: Membership, signals: Signals, context: WorkContext) =>
        new JobRunner(database, () => membership.owner, signals, cleanupKinds(context), {
          ...{ concurrency: JOBS_AT_ONCE, pollMs: IDLE_POLL_MS, callMs: context.callMs },
          retry: { maxAttempts: workers.maxAttempts, backoff: workers.backoff },
        }),
    },
    {
      provide: Worker,
      inject: [Membership, Signals, WORK],
      useFactory: (membership: Membership, signals: Signals, context: WorkContext) => {
        const { concurrency, perWorkspace, perOrg, maxAttempts, backoff, graceMs } = workers;
        return new Worker(database, membership, signals, context, {
          ...{ concurrency, perWorkspace, perOrg, graceMs, pollMs: POLL_MS[database.dialect.name], idlePollMs: IDLE_POLL_MS },
          retry: { maxAttempts, backoff },
        });
      },
    },
  ];
}
