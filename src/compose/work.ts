import type { Config, RuntimeConfig, WorkspaceConfig } from '../config/config.js';
import { workspaceOfRuntime } from '../core/automations/automation.js';
import type { Placement } from '../core/controls/control.js';
import { type AgentRuntime, ConfigFault } from '../plugin/index.js';
import type { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { builtInKinds, createRuntime, type RuntimeKinds } from '../runtimes/create-runtime.js';
import { type AutomationRoutes, type Workspace, WorkTable } from '../worker/work-table.js';
import type { ConfiguredConnection, ConfiguredHost } from './configured-host.js';

/** What stored work runs on, by the configuration. Throws `ConfigFault` naming every runtime and every control that cannot be. */
export function workTable(
  { config, routes, connections }: Pick<ConfiguredHost, 'config' | 'routes' | 'connections'>,
  registry: PluginRegistry,
  automations?: AutomationRoutes,
): WorkTable {
  const kinds = allKinds(registry);
  const faults = new Set<string>();
  const attempt = <T>(make: () => T): T | null => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof ConfigFault)) throw error;
      faults.add(error.message);
      return null;
    }
  };
  const workspaces = config.workspaces.flatMap((workspace): Workspace[] => {
    const control = attempt(() => placementOf(workspace, connections, registry));
    const runtime = attempt(() => runtimeOf(config, workspace, kinds));
    return runtime === null ? [] : [workspaceOf(workspace, control, runtime)];
  });
  const ofRuntimes = config.runtimes.flatMap((runtime) =>
    config.orgs.flatMap((org): Workspace[] => {
      const own = attempt(() => made(runtime, [], kinds));
      return own === null ? [] : [workspaceFor(runtime.name, org, own)];
    }),
  );
  if (faults.size > 0) throw new ConfigFault([...faults].join('\n'));
  return new WorkTable([...workspaces, ...ofRuntimes], routes, automations);
}

function workspaceOf(workspace: WorkspaceConfig, control: Placement | null, runtime: AgentRuntime): Workspace {
  const { name, org, instructions, directory, isolate, repository } = workspace;
  const { usdPerTurn, usdPerConversation, usdPerDay, timezone, loop } = workspace;
  return {
    ...{ name, org, instructions, directory, isolate, repository, control, runtime },
    concurrency: workspace.concurrency,
    // Two agents in one folder would undo each other's work.
    sole: workspace.concurrency === null && !isolate ? directory : null,
    rules: { usdPerTurn, usdPerConversation, usdPerDay, timezone, loop },
  };
}

/** Where automations that name a runtime, and no workspace, have their conversations: each in a folder of its own. */
function workspaceFor(name: string, org: string, runtime: AgentRuntime): Workspace {
  return {
    ...{ name: workspaceOfRuntime(name), org, runtime, instructions: null, directory: null, isolate: false, repository: null },
    ...{ concurrency: null, control: null },
    rules: { usdPerTurn: null, usdPerConversation: null, usdPerDay: null, timezone: 'UTC', loop: null },
  };
}

export function allKinds(registry: PluginRegistry): RuntimeKinds {
  const ofPlugins = registry.all().flatMap(([, provider]) => Object.entries(provider.runtimes ?? {}));
  return { ...Object.fromEntries(ofPlugins), ...builtInKinds };
}

function runtimeOf(config: Config, workspace: WorkspaceConfig, kinds: RuntimeKinds): AgentRuntime {
  const runtime = config.runtimes.find(({ name }) => name === workspace.runtime);
  if (!runtime) throw new ConfigFault(`workspaces.${workspace.name}.runtime: there is no runtime ${workspace.runtime}`);
  return made(runtime, workspace.env, kinds);
}

function made(runtime: RuntimeConfig, env: readonly string[], kinds: RuntimeKinds): AgentRuntime {
  try {
    return createRuntime(runtime.kind, optionsOf(runtime, env), kinds);
  } catch (cause) {
    if (!(cause instanceof ConfigFault)) throw cause;
    throw new ConfigFault(`runtimes.${runtime.name}: ${cause.message}`, { cause });
  }
}

function optionsOf(runtime: RuntimeConfig, env: readonly string[]): Readonly<Record<string, unknown>> {
  const isCommand = runtime.builtIn && (runtime.kind === 'process' || runtime.kind === 'acp');
  return isCommand ? { ...runtime.options, passEnv: env } : { ...runtime.options };
}

/** Only a plugin that was loaded knows whether it has threads, and what it needs for them. */
function placementOf(
  { name, org, control }: WorkspaceConfig,
  connections: readonly ConfiguredConnection[],
  registry: PluginRegistry,
): Placement | null {
  if (control === null) return null;
  const found = connections.find(({ connection }) => connection.org === org && connection.name === control.connection);
  const channel = found && registry.get(found.settings.plugin).control;
  const fault =
    found === undefined
      ? 'there is no such connection'
      : channel === undefined
        ? `the plugin ${found.settings.plugin} of this connection has no threads for people`
        : (channel.missing?.(found.connection) ?? null);
  if (channel === undefined || fault !== null)
    throw new ConfigFault(`workspaces.${name}.control.connection: ${control.connection}: ${fault}`);
  return { ...control, limits: channel.limits };
}
