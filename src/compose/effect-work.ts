import { Logger } from '@nestjs/common';
import { EffectLedger } from '../core/effects/effect-ledger.js';
import { EffectReading } from '../core/effects/effect-reading.js';
import type { EffectRow } from '../core/effects/effects.js';
import { Outbound } from '../core/effects/outbound.js';
import { Signals } from '../core/signals.js';
import type { Database } from '../database/database.js';
import { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { Membership } from '../worker/membership.js';
import type { ConfiguredConnection } from './configured-host.js';

/** A write that a provider has not answered after this time is of unknown outcome. */
const PATIENCE_MS = 60_000;

/** What this process does at providers, and finds out about it: begun after the recovery, ended before the lease. */
export class EffectWork {
  constructor(
    readonly outbound: Outbound,
    private readonly reading: EffectReading,
    private readonly graceMs: number,
  ) {}

  start(): void {
    this.reading.start();
  }

  /** What is due is found out now instead of at the next look. */
  look(): void {
    this.reading.look();
  }

  async stop(): Promise<void> {
    await Promise.all([this.reading.stop(), this.outbound.stop(this.graceMs)]);
  }
}

interface EffectParts {
  readonly database: Database;
  readonly encryptionKey: Buffer;
  readonly connections: readonly ConfiguredConnection[];
  readonly config: { readonly workers: { readonly graceMs: number } };
}

export function effectProviders({ database, encryptionKey: key, connections, config }: EffectParts) {
  const logger = new Logger('Effects');
  return [
    { provide: EffectLedger, inject: [Signals], useFactory: (signals: Signals) => new EffectLedger(database, signals) },
    {
      provide: Outbound,
      inject: [EffectLedger, Membership],
      useFactory: (ledger: EffectLedger, membership: Membership) =>
        new Outbound(database, ledger, key, () => membership.owner, { patienceMs: PATIENCE_MS }),
    },
    {
      provide: EffectWork,
      inject: [Outbound, EffectLedger, PluginRegistry],
      useFactory: (outbound: Outbound, ledger: EffectLedger, registry: PluginRegistry) => {
        const readerOf = (effect: EffectRow) => readerAmong(connections, registry, effect);
        const reading = new EffectReading(database, ledger, readerOf, key, (message) => logger.warn(message));
        return new EffectWork(outbound, reading, config.workers.graceMs);
      },
    },
  ];
}

function readerAmong(connections: readonly ConfiguredConnection[], registry: PluginRegistry, { org, source, provider }: EffectRow) {
  const found = connections.find(({ settings }) => settings.org === org && settings.name === source && settings.plugin === provider);
  const reader = found && registry.get(provider).effects;
  return found && reader ? { reader, connection: found.connection } : null;
}
