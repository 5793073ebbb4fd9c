import type { Config } from '../config/config.js';
import { Signals } from '../core/signals.js';
import type { Database } from '../database/database.js';
import { EventAdmission } from '../ingress/event-source.js';
import { PROVIDER_BACKOFF } from '../ingress/sources/backoff.js';
import { SourceSupervisor } from '../ingress/sources/source-supervisor.js';
import { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { Membership } from '../worker/membership.js';
import { Worker } from '../worker/worker.js';
import type { ConfiguredConnection } from './configured-host.js';
import { Hearing } from './hearing.js';
import { sourceSpecs } from './source-specs.js';

/** A dead owner's sources are looked for this often, or a third of the lease where that is shorter. */
const LOOK_MS = 2_000;

/** What one replica does for all, and how the replicas hear of each other. */
export function replicaProviders(parts: { config: Config; connections: readonly ConfiguredConnection[]; database: Database }) {
  const { config, connections, database } = parts;
  return [
    {
      provide: Hearing,
      inject: [Signals, Worker],
      useFactory: (signals: Signals, worker: Worker) =>
        new Hearing(config.database.url, config.database.directUrl, signals, () => worker.isFull),
    },
    {
      provide: SourceSupervisor,
      inject: [PluginRegistry, EventAdmission, Signals, Membership],
      useFactory: (registry: PluginRegistry, admission: EventAdmission, signals: Signals, membership: Membership) =>
        new SourceSupervisor(sourceSpecs(connections, registry), {
          ...{ database, admission, signals, backoff: PROVIDER_BACKOFF },
          owner: () => membership.owner,
          lookMs: Math.min(LOOK_MS, Math.round(config.workers.leaseMs / 3)),
        }),
    },
  ];
}
