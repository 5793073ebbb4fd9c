import type { Config, RuntimeConfig, WorkspaceConfig } from '../config/config.js';
import type { Route } from '../core/routing/route.js';
import { type AgentRuntime, ConfigFault } from '../plugin/index.js';
import type { PluginRegistry } from '../plugin-host/plugin-registry.js';
import { builtInKinds, createRuntime, type RuntimeKinds } from '../runtimes/create-runtime.js';
import { type Workspace, WorkTable } from '../worker/work-table.js';

/** What stored work runs on, by the configuration. Throws `ConfigFault` naming the runtime that cannot be made. */
export function workTable(config: Config, routes: readonly Route[], registry: PluginRegistry): WorkTable {
  const kinds = allKinds(registry);
  const workspaces = config.workspaces.map((workspace): Workspace => {
    const { name, org, instructions, directory } = workspace;
    // Two agents in one folder would undo each other's work.
    const concurrency = workspace.concurrency ?? (directory === null ? null : 1);
    const { usdPerTurn, usdPerConversation, usdPerDay, timezone, loop } = workspace;
    const rules = { usdPerTurn, usdPerConversation, usdPerDay, timezone, loop };
    return { name, org, instructions, directory, concurrency, rules, runtime: runtimeOf(config, workspace, kinds) };
  });
  return new WorkTable(workspaces, routes);
}

export function allKinds(registry: PluginRegistry): RuntimeKinds {
  const ofPlugins = registry.all().flatMap(([, provider]) => Object.entries(provider.runtimes ?? {}));
  return { ...Object.fromEntries(ofPlugins), ...builtInKinds };
}

function runtimeOf(config: Config, workspace: WorkspaceConfig, kinds: RuntimeKinds): AgentRuntime {
  const runtime = config.runtimes.find(({ name }) => name === workspace.runtime);
  if (!runtime) throw new ConfigFault(`workspaces.${workspace.name}.runtime: there is no runtime ${workspace.runtime}`);
  try {
    return createRuntime(runtime.kind, optionsOf(runtime, workspace), kinds);
  } catch (cause) {
    if (!(cause instanceof ConfigFault)) throw cause;
    throw new ConfigFault(`runtimes.${runtime.name}: ${cause.message}`, { cause });
  }
}

function optionsOf(runtime: RuntimeConfig, { env }: WorkspaceConfig): Readonly<Record<string, unknown>> {
  return runtime.kind === 'process' && runtime.builtIn ? { ...runtime.options, passEnv: env } : { ...runtime.options };
}
