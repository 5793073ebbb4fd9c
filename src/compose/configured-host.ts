import path from 'node:path';
import type { Config, ConnectionConfig, LoadedConfig } from '../config/config.js';
import { InvalidConfiguration } from '../config/invalid-configuration.js';
import { validateOptions } from '../config/validate-options.js';
import { compileRoute } from '../core/routing/compile-route.js';
import type { Route } from '../core/routing/route.js';
import type { Connection, Fault, PluginDefinition } from '../plugin/index.js';
import { loadPlugins } from '../plugin-host/load-plugins.js';

/** A configuration with its plugins loaded and everything in it checked: what a server is made of. */
export interface ConfiguredHost {
  readonly config: Config;
  readonly plugins: readonly PluginDefinition[];
  readonly connections: readonly ConfiguredConnection[];
  /** In the order of the file. */
  readonly routes: readonly Route[];
}

export interface ConfiguredConnection {
  readonly settings: ConnectionConfig;
  readonly connection: Connection;
}

/** Throws `InvalidConfiguration` with every fault of the plugins' own options, and `ConfigFault` for a plugin that cannot be loaded. */
export async function configureHost({ file, config }: LoadedConfig, cwd: string): Promise<ConfiguredHost> {
  const plugins = await loadPlugins(config.plugins, file ?? path.join(cwd, 'throughline.config.yaml'));
  const faults: Fault[] = [];
  const connections = config.connections.map((settings) => configureConnection(settings, plugins, faults));
  if (faults.length > 0) throw new InvalidConfiguration(file, faults);
  return { config, plugins, connections, routes: config.routes.map((route) => routeOf(config, route)) };
}

function configureConnection(settings: ConnectionConfig, plugins: readonly PluginDefinition[], faults: Fault[]): ConfiguredConnection {
  const { name, org, source, secrets, plugin, insecure } = settings;
  const at = `connections.${name}`;
  const definition = plugins.find((each) => each.name === plugin);
  if (!definition)
    faults.push({
      path: `${at}.plugin`,
      message: `no loaded plugin is named ${plugin}; the plugins are ${plugins.map((each) => each.name).join(', ')}`,
    });
  const checked = definition ? validateOptions(definition.options, settings.options, at) : null;
  faults.push(...(checked?.faults ?? []));
  if (secrets.length === 0 && !insecure)
    faults.push({
      path: `${at}.secret`,
      message:
        'is missing: set the signing secret of the provider, for example { env: NAME }, so that its events can be told from forged ones',
    });
  return { settings, connection: { name, org, source, secrets, options: checked?.options ?? {} } };
}

function routeOf(config: Config, route: Config['routes'][number]): Route {
  const { connection, source: own, ...rest } = route;
  const source = own ?? config.connections.find((each) => each.name === connection)?.source ?? 'public';
  return compileRoute({ ...rest, source: connection, trust: source === 'private' ? 'trusted' : 'untrusted' });
}
