import { type DynamicModule, Global, Logger, Module } from '@nestjs/common';
import { AdminAccess } from '../admin/access/admin-access.js';
import { HostView } from '../admin/host-view.js';
import { MeasuredAdmission } from '../admin/metrics/measured-admission.js';
import { Metrics } from '../admin/metrics/metrics.js';
import { TriggerRegistry } from '../automations/triggers/trigger-registry.js';
import { Admissions } from '../core/admission/admissions.js';
import { AliasBindings } from '../core/alias-bindings.js';
import { Operations } from '../core/operations.js';
import { Signals } from '../core/signals.js';
import { Database } from '../database/database.js';
import { DatabaseClock, EventAdmission, EventSources } from '../ingress/event-source.js';
import { WebhookRegistry } from '../ingress/webhooks/webhook-registry.js';
import { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { Membership } from '../worker/membership.js';
import { approvalProviders } from './approval-work.js';
import { automationProviders } from './automation-definitions.js';
import { triggerProviders } from './automation-triggers.js';
import { ConfiguredHostView } from './configured-host-view.js';
import { ConfiguredProviders } from './configured-providers.js';
import { controlProviders } from './control-work.js';
import { webhookProviders } from './custom-webhooks.js';
import { effectProviders } from './effect-work.js';
import { ConfiguredSources } from './event-sources.js';
import type { HostParts } from './host-parts.js';
import { Lifecycle } from './lifecycle.js';
import { replicaProviders } from './replica-providers.js';
import { runProviders } from './run-work.js';
import { workProviders } from './work-providers.js';

/** The parts that everything else is given: store, core, worker, and what the configuration says. */
@Global()
@Module({})
export class HostModule {
  static using(parts: HostParts, plugins: DynamicModule): DynamicModule {
    const core = [
      { provide: Database, useValue: parts.database },
      { provide: Signals, useFactory: () => withNotices(new Signals()) },
      {
        provide: Admissions,
        inject: [Database, Signals, ConfiguredProviders, TriggerRegistry],
        useFactory: (database: Database, signals: Signals, providers: ConfiguredProviders, triggers: TriggerRegistry) =>
          new Admissions(
            database,
            parts.routes,
            signals,
            (org, source) => providers.find(org, source)?.provider.preparer !== undefined,
            providers,
            triggers,
          ),
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
        inject: [PluginRegistry, WebhookRegistry],
        useFactory: (registry: PluginRegistry, made: WebhookRegistry) => new ConfiguredProviders(parts.connections, registry, made),
      },
      {
        provide: EventAdmission,
        inject: [Admissions, Metrics],
        useFactory: (within: Admissions, metrics: Metrics) => new MeasuredAdmission(within, metrics),
      },
      {
        provide: EventSources,
        inject: [PluginRegistry, WebhookRegistry],
        useFactory: (registry: PluginRegistry, made: WebhookRegistry) =>
          new ConfiguredSources(parts.config, parts.connections, registry, made),
      },
      { provide: DatabaseClock, useExisting: Membership },
    ];
    const providers = [
      ...core,
      ...ingress,
      ...workProviders(parts),
      ...replicaProviders(parts),
      ...effectProviders(parts),
      ...controlProviders(parts),
      ...approvalProviders(parts),
      ...automationProviders(parts),
      ...runProviders(parts),
      ...triggerProviders(parts),
      ...webhookProviders(parts),
      ...adminProviders(parts),
    ];
    return { module: HostModule, imports: [plugins], providers, exports: [...providers, plugins] };
  }
}

/** Where a person is told is a matter of channels; that it is so stands in the log. */
function withNotices(signals: Signals): Signals {
  const logger = new Logger('Admission');
  return signals.on('refused', (refusals) => {
    for (const { org, source, author, receipt } of refusals)
      logger.log(
        `receipt ${receipt}: no route of ${org}/${source} listens to ${JSON.stringify(author)}; their further events of the day are refused without a word`,
      );
  });
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
        signals.on('ended', (_run, how, error) => (how === 'fail' ? metrics.runFailed(error ?? 'unknown') : undefined));
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
