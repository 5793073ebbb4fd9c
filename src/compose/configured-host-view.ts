import { type ConnectionInfo, HostView, type PluginInfo, type Readiness, type RouteInfo } from '../admin/host-view.js';
import type { PluginRegistry } from '../plugin-host/plugin-registry.js';
import type { ConfiguredHost } from './configured-host.js';
import type { Lifecycle } from './lifecycle.js';
import { sourceSpecs } from './source-specs.js';
import { allKinds } from './work.js';

/** What operators are told of this server, out of its configuration and its life so far. */
export class ConfiguredHostView extends HostView {
  constructor(
    private readonly host: ConfiguredHost,
    private readonly registry: PluginRegistry,
    private readonly lifecycle: Lifecycle,
    private readonly ownVersion: string,
  ) {
    super();
  }

  version(): string {
    return this.ownVersion;
  }

  orgs(): readonly string[] {
    return this.host.config.orgs;
  }

  connections(): readonly ConnectionInfo[] {
    const specs = sourceSpecs(this.host.connections, this.registry);
    return this.host.config.connections.map(({ name, org, plugin, source, secrets }) => ({
      ...{ name, org, plugin, source, secrets: secrets.length },
      takesWebhooks: this.registry.get(plugin).transports.some(({ kind }) => kind === 'webhook'),
      sources: specs
        .filter(({ connection }) => connection.org === org && connection.name === name)
        .map(({ kind, name: lease }) => ({ kind, name: lease })),
    }));
  }

  plugins(): readonly PluginInfo[] {
    return this.host.plugins.map(({ name, apiVersion }) => {
      const { transports, runtimes } = this.registry.get(name);
      return { name, apiVersion, transports: transports.map(({ kind }) => kind), runtimes: Object.keys(runtimes ?? {}) };
    });
  }

  routes(): readonly RouteInfo[] {
    return this.host.config.routes.map(({ name, org, connection, workspace, on, filter, scope, activation, wake }) => ({
      ...{ name, org, connection, workspace, on, filter, scope, activation, wake },
    }));
  }

  runtimes(): readonly string[] {
    return Object.keys(allKinds(this.registry)).sort();
  }

  readiness(): Readiness {
    const { phase, isSuperseded } = this.lifecycle;
    if (phase !== 'running') return { recovered: phase === 'stopping', worker: phase === 'stopping' ? 'stopping' : 'starting' };
    if (isSuperseded) return { recovered: true, worker: 'superseded' };
    return { recovered: true, worker: this.host.config.workers.concurrency === 0 ? 'idle' : 'running' };
  }
}
