import type { Talk } from '../core/admission/admissions.js';
import type { WebhookRegistry } from '../ingress/webhooks/webhook-registry.js';
import type { Connection, Provider } from '../plugin/index.js';
import type { PluginRegistry } from '../plugin-host/plugin-registry.js';
import type { Channel, Channels } from '../worker/controls/channels.js';
import type { ConnectedProvider, Providers } from '../worker/providers.js';
import type { ConfiguredConnection } from './configured-host.js';

/** What stands behind each configured connection, and behind each webhook that was made through the API; all from memory. */
export class ConfiguredProviders implements Providers, Channels, Talk {
  private readonly connected: ReadonlyMap<string, ConnectedProvider & { readonly provider: Provider }>;

  constructor(
    connections: readonly ConfiguredConnection[],
    private readonly registry: PluginRegistry,
    private readonly made: Pick<WebhookRegistry, 'connection'> = { connection: () => null },
  ) {
    this.connected = new Map(
      connections.map(({ settings, connection }) => [
        `${connection.org}/${connection.name}`,
        { connection, provider: usedBy(registry.get(settings.plugin), connection) },
      ]),
    );
  }

  find(org: string, source: string): ConnectedProvider | null {
    return this.connected.get(`${org}/${source}`) ?? this.madeOne(org, source);
  }

  private madeOne(org: string, source: string): ConnectedProvider | null {
    const connection = this.made.connection(org, source);
    return connection === null ? null : { connection, provider: this.registry.get('webhook') };
  }

  channel(org: string, name: string): Channel | null {
    const found = this.connected.get(`${org}/${name}`);
    return found?.provider.control ? { connection: found.connection, control: found.provider.control } : null;
  }

  isPrivate(org: string, name: string): boolean {
    return this.connected.get(`${org}/${name}`)?.connection.source === 'private';
  }

  acknowledges(org: string, name: string): boolean {
    const channel = this.channel(org, name);
    if (channel?.control.acknowledge === undefined) return false;
    // A connection that only receives would fail at each event, and be tried eight times.
    return (channel.control.missing?.(channel.connection) ?? null) === null;
  }

  /** True: some connection has threads, or can show that a message was taken. */
  get hasChannels(): boolean {
    return [...this.connected.values()].some(({ provider }) => provider.control !== undefined);
  }
}

/** The provider without the parts that have nothing to do for this connection. */
function usedBy(provider: Provider, connection: Connection): Provider {
  const idle = (['preparer', 'trusted'] as const).filter((part) => provider[part]?.usedBy?.(connection) === false);
  return idle.length === 0 ? provider : Object.create(provider, Object.fromEntries(idle.map((part) => [part, { value: undefined }])));
}
