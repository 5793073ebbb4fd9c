import { Logger } from '@nestjs/common';
import { RunDispatcher } from '../automations/runs/run-dispatcher.js';
import { Scheduler } from '../automations/schedule/scheduler.js';
import { TriggerRegistry } from '../automations/triggers/trigger-registry.js';
import { Uploads } from '../automations/uploads/uploads.js';
import { Admissions } from '../core/admission/admissions.js';
import { ApprovalRunner } from '../core/approvals/approval-runner.js';
import { Permissions } from '../core/approvals/permissions.js';
import { Reconciliation } from '../core/controls/reconciliation.js';
import { Outbound } from '../core/effects/outbound.js';
import { Maintenance } from '../core/maintenance/maintenance.js';
import { ConversationPurges } from '../core/purges/conversation-purges.js';
import { Signals } from '../core/signals.js';
import { SourceSupervisor } from '../ingress/sources/source-supervisor.js';
import { WebhookRegistry } from '../ingress/webhooks/webhook-registry.js';
import { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { cleanupKinds } from '../worker/cleanup/job-kinds.js';
import { JobRunner } from '../worker/cleanup/job-runner.js';
import { purgeFiles } from '../worker/cleanup/purge-files.js';
import { ErrandRunner } from '../worker/controls/errand-runner.js';
import { KeptAgents } from '../worker/kept-agents.js';
import { Membership } from '../worker/membership.js';
import type { WorkContext } from '../worker/work-on.js';
import { WorkTable } from '../worker/work-table.js';
import { Worker } from '../worker/worker.js';
import { TurnTools } from './approval-work.js';
import { bringInAutomations } from './automation-definitions.js';
import { ConfiguredProviders } from './configured-providers.js';
import { EffectWork } from './effect-work.js';
import { Hearing } from './hearing.js';
import type { HostParts } from './host-parts.js';
import { type Companion, Lifecycle } from './lifecycle.js';
import { openEndpoints } from './open-endpoints.js';
import { thisMachine } from './this-process.js';
import { maintenanceOf } from './upkeep.js';
import { workTable } from './work.js';
import { workContext } from './work-context.js';

/** Where replicas may not hear from each other, work that another one made is found by looking. */
const POLL_MS = { sqlite: 1000, postgresql: 250 } as const;
const IDLE_POLL_MS = 2000;
const JOBS_AT_ONCE = 4;
const WORK = Symbol('WorkContext');
const AUTOMATED = Symbol('companions of automations');

/** What works: the turns, the ends, the upkeep, and who starts and stops them. */
export function workProviders(parts: HostParts) {
  return [...lifecycleProviders(parts), automatedProvider(parts), ...upkeepProviders(parts), ...turnProviders(parts)];
}

/** What this process starts and stops, in its order. */
function lifecycleProviders(parts: HostParts) {
  const { config, database } = parts;
  const placements = config.routes.map(({ org, name, workspace }) => ({ org, route: name, workspace }));
  return [
    {
      provide: Lifecycle,
      inject: [
        Membership,
        Worker,
        SourceSupervisor,
        Hearing,
        JobRunner,
        EffectWork,
        Maintenance,
        ErrandRunner,
        ConfiguredProviders,
        WorkTable,
        ApprovalRunner,
        Reconciliation,
        Signals,
        AUTOMATED,
      ],
      useFactory: (
        membership: Membership,
        worker: Worker,
        sources: SourceSupervisor,
        hearing: Hearing,
        jobs: JobRunner,
        effects: EffectWork,
        maintenance: Maintenance,
        errands: ErrandRunner,
        providers: ConfiguredProviders,
        table: WorkTable,
        approvals: ApprovalRunner,
        controls: Reconciliation,
        signals: Signals,
        automated: readonly Companion[],
      ) =>
        new Lifecycle(database, membership, worker, placements, [
          { prepare: () => bringInAutomations(config, database, signals) },
          ...automated,
          companionOf(new KeptAgents(database, table, (conversation) => worker.worksOn(conversation))),
          { prepare: () => sources.noteGaps(), begin: () => sources.start(), drain: () => sources.stop() },
          { begin: () => hearing.start(), end: () => hearing.stop() },
          { begin: () => effects.start(), end: () => effects.stop() },
          // A process that only accepts cleans up, and does what was approved, as little as it works.
          ...(config.workers.concurrency === 0
            ? []
            : [jobs, approvals].map((each) => ({ begin: () => each.start(), drain: () => each.stop() }))),
          // After the last turn: what it said is on its way to people.
          ...(providers.hasChannels ? [{ begin: () => errands.start(), end: () => errands.stop() }] : []),
          { ready: () => openEndpoints(parts, table, controls) },
          { begin: () => maintenance.start(), drain: () => maintenance.stop() },
          { end: () => closeRuntimes(table) },
        ]),
    },
  ];
}

/** What keeps up automations, from the start to the end of the process. */
function automatedProvider({ config }: HostParts) {
  // A process that only accepts starts nothing by itself.
  const isIdle = config.workers.concurrency === 0;
  return {
    provide: AUTOMATED,
    inject: [TriggerRegistry, WebhookRegistry, RunDispatcher, Scheduler],
    useFactory: (triggers: TriggerRegistry, webhooks: WebhookRegistry, runs: RunDispatcher, scheduler: Scheduler): Companion[] => [
      ...(isIdle ? [] : [{ ready: async () => scheduler.start(), drain: () => scheduler.stop() }]),
      { prepare: () => webhooks.start(), end: async () => webhooks.stop() },
      { prepare: () => triggers.start(), end: async () => triggers.stop() },
      { ready: async () => runs.start(), drain: () => runs.stop() },
    ],
  };
}

function companionOf(kept: KeptAgents): Companion {
  return { begin: () => kept.start(), drain: () => kept.stop() };
}

/** What one runtime cannot let go of is the machine's matter; the others still have theirs. */
async function closeRuntimes(table: WorkTable): Promise<void> {
  const closed = await Promise.allSettled(table.runtimes().map((runtime) => runtime.close?.()));
  for (const each of closed) if (each.status === 'rejected') new Logger('Server').warn(`a runtime did not end well: ${each.reason}`);
}

function upkeepProviders(parts: HostParts) {
  return [
    {
      provide: ConversationPurges,
      inject: [WORK],
      useFactory: (context: WorkContext) => new ConversationPurges(parts.database, (files) => purgeFiles(files, context)),
    },
    {
      provide: Maintenance,
      inject: [Signals, ConversationPurges, Admissions, Uploads],
      useFactory: (signals: Signals, purges: ConversationPurges, admissions: Admissions, uploads: Uploads) =>
        maintenanceOf(parts, signals, purges, admissions, uploads),
    },
  ];
}

function turnProviders(parts: HostParts) {
  const { config, database, self } = parts;
  const { workers } = config;
  return [
    {
      provide: WorkTable,
      inject: [PluginRegistry, TriggerRegistry],
      useFactory: (registry: PluginRegistry, triggers: TriggerRegistry) => workTable(parts, registry, triggers),
    },
    {
      provide: Membership,
      inject: [Signals],
      useFactory: (signals: Signals) => new Membership(database, self, workers, thisMachine, signals),
    },
    {
      provide: WORK,
      inject: [Membership, Signals, WorkTable, ConfiguredProviders, TurnTools, Permissions, Admissions, Outbound],
      useFactory: (
        membership: Membership,
        signals: Signals,
        table: WorkTable,
        providers: ConfiguredProviders,
        tools: TurnTools,
        permissions: Permissions,
        admissions: Admissions,
        outbound: Outbound,
      ) =>
        workContext(
          { database, dataDir: config.dataDir, bootId: self.bootId, attachmentsKeptMs: config.retention.payloadsMs },
          { membership, signals, table, providers, tools, permissions, admissions, outbound },
        ),
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
