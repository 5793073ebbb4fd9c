import path from 'node:path';
import type { Config, ConnectionConfig, LoadedConfig } from '../config/config.js';
import { InvalidConfiguration } from '../config/invalid-configuration.js';
import { type LoadRequest, loadConfig } from '../config/load-config.js';
import { didYouMean } from '../config/near.js';
import { validateOptions } from '../config/validate-options.js';
import { compileRoute } from '../core/routing/compile-route.js';
import type { Route } from '../core/routing/route.js';
import { ConfigFault, type Connection, type Fault, type PluginDefinition } from '../plugin/index.js';
import { BUILT_IN_PLUGINS, loadPlugins } from '../plugin-host/load-plugins.js';
import { builtInKinds } from '../runtimes/create-runtime.js';

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

export interface HostRequest extends Omit<LoadRequest, 'given'> {
  /** Plugins that are there without being loaded, beside those that the configuration names. */
  readonly plugins?: readonly PluginDefinition[];
}

/** Loads the configuration and its plugins. Throws `InvalidConfiguration` with every fault there is, the plugins' own options included. */
export async function loadHost({ plugins, ...request }: HostRequest): Promise<{ loaded: LoadedConfig; host: ConfiguredHost }> {
  const given = plugins?.map(({ name }) => name) ?? [];
  const loaded = await loadConfig({
    ...{ ...request, given },
    alsoCheck: (config, file) => hostFaults(config, baseOf(file, request.cwd), plugins),
  });
  return { loaded, host: await configureHost(loaded, request.cwd, plugins) };
}

/** What a configuration lacks in the eyes of its plugins. */
export async function hostFaults(config: Config, base: string, given: readonly PluginDefinition[] = []): Promise<readonly Fault[]> {
  try {
    const plugins = [...given, ...(await loadPlugins(config.plugins, base))];
    const faults: Fault[] = [];
    const connections = config.connections.map((settings) => configureConnection(settings, plugins, faults));
    if (faults.length === 0) faults.push(...routeFaults(config, connections, plugins));
    return [...faults, ...(given.length > 0 ? [] : kindFaults(config))];
  } catch (error) {
    if (error instanceof ConfigFault) return [{ path: 'plugins', message: error.message.replace(/^plugins(\[\d+\])?: /, '$1 ').trim() }];
    throw error;
  }
}

/** The host of a configuration without faults. */
export async function configureHost(
  { file, config }: LoadedConfig,
  cwd: string,
  given: readonly PluginDefinition[] = [],
): Promise<ConfiguredHost> {
  const plugins = [...given, ...(await loadPlugins(config.plugins, baseOf(file, cwd)))];
  const faults: Fault[] = [];
  const connections = config.connections.map((settings) => configureConnection(settings, plugins, faults));
  if (faults.length > 0) throw new InvalidConfiguration(file, faults);
  return { config, plugins, connections, routes: config.routes.map((route) => routeOf(config, route)) };
}

export function baseOf(file: string | null, cwd: string): string {
  return file ?? path.join(cwd, 'throughline.config.yaml');
}

/** The plugins that ship with the framework bring no runtimes: where there are no others, an unknown kind is a mistake. */
function kindFaults({ plugins, runtimes }: Config): Fault[] {
  if (!plugins.every((plugin) => BUILT_IN_PLUGINS.includes(plugin))) return [];
  const kinds = Object.keys(builtInKinds);
  const unknown = runtimes.filter(({ builtIn }) => !builtIn);
  return unknown.map(({ name, kind }) => ({
    path: `runtimes.${name}.kind`,
    message: `there is no kind \`${kind}\`${didYouMean(kind, kinds)}; the kinds are ${kinds.join(', ')}`,
  }));
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
  if (needsSecret(definition, checked?.options ?? null) && secrets.length === 0 && !insecure)
    faults.push({
      path: `${at}.secret`,
      message:
        'is missing: set the signing secret of the provider, for example { env: NAME }, so that its events can be told from forged ones',
    });
  return { settings, connection: { name, org, source, secrets, options: checked?.options ?? {} } };
}

/** Options that are at fault are told of by themselves. */
function needsSecret(definition: PluginDefinition | undefined, options: object | null): boolean {
  if (definition?.needsSecret) return options !== null && definition.needsSecret(options);
  return (definition?.receives ?? ['webhook']).every((kind) => kind === 'webhook');
}

/** What the plugins of their connections do not let routes do. */
function routeFaults({ routes }: Config, connections: readonly ConfiguredConnection[], plugins: readonly PluginDefinition[]): Fault[] {
  return routes.flatMap(({ name, connection: source, endpoint, outbound }) => {
    const found = connections.find(({ settings }) => settings.name === source);
    const definition = plugins.find((each) => each.name === found?.settings.plugin);
    const faults: Fault[] = [];
    const endpoints = ((found && definition?.endpoints?.(found.connection)) ?? []).map((each) => each.name);
    if (endpoint !== null && !endpoints.includes(endpoint)) {
      const known = endpoints.length === 0 ? 'has no places to choose from' : `has ${endpoints.join(', ')}`;
      faults.push({ path: `routes.${name}.endpoint`, message: `the connection ${source} ${known}${didYouMean(endpoint, endpoints)}` });
    }
    if (outbound === 'allowed' && definition?.writes === 'approved')
      faults.push({
        path: `routes.${name}.outbound`,
        message: `must not be \`allowed\`: a person decides about everything that is written at ${definition.name}`,
      });
    return faults;
  });
}

function routeOf(config: Config, route: Config['routes'][number]): Route {
  const { connection, source: own, ...rest } = route;
  const source = own ?? config.connections.find((each) => each.name === connection)?.source ?? 'public';
  return compileRoute({ ...rest, source: connection, trust: source === 'private' ? 'trusted' : 'untrusted' });
}
