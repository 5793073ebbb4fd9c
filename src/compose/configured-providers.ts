import type { PluginRegistry } from '../plugin-host/plugin-registry.js';
import type { ConnectedProvider, Providers } from '../worker/providers.js';
import type { ConfiguredConnection } from './configured-host.js';

/** What stands behind each configured connection, from memory. */
export class ConfiguredProviders implements Providers {
  private readonly connected: ReadonlyMap<string, ConnectedProvider>;

  constructor(connections: readonly ConfiguredConnection[], registry: PluginRegistry) {
    this.connected = new Map(
      connections.map(({ settings, connection }) => [
        `${connection.org}/${connection.name}`,
        { connection, provider: registry.get(settings.plugin) },
      ]),
    );
  }

  find(org: string, source: string): ConnectedProvider | null {
    return this.connected.get(`${org}/${source}`) ?? null;
  }
}
