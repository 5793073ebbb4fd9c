import { type AgentRuntime, ConfigFault } from '../plugin/index.js';
import { AcpRuntime } from './acp/acp.runtime.js';
import { AgentServerRuntime } from './agent-server/agent-server.runtime.js';
import { FixedAgentServer } from './agent-server/agent-servers.js';
import { EchoRuntime } from './echo.runtime.js';
import { presetRuntime } from './presets/preset.runtime.js';
import { ProcessRuntime } from './process/process.runtime.js';
import { acpOptions, agentServerOptions, echoOptions, presetOptions, processOptions, type RuntimeOptions } from './runtime-options.js';

/** Ways to make a runtime, by the name that stands in `runtimes.<name>.kind`. */
export type RuntimeKinds = Readonly<Record<string, (options: RuntimeOptions) => AgentRuntime>>;

/** Agents that are programs of this machine. */
export const localKinds: RuntimeKinds = {
  acp: (options) => new AcpRuntime(acpOptions(options)),
  echo: (options) => new EchoRuntime(echoOptions(options)),
  process: (options) =>
    (options['preset'] ?? null) === null ? new ProcessRuntime(processOptions(options)) : presetRuntime(presetOptions(options)),
};

/** The kinds that need no plugin. The host adds those of its plugins. */
export const builtInKinds: RuntimeKinds = {
  ...localKinds,
  'agent-server': (options) => {
    const { place, options: ofTurns } = agentServerOptions(options);
    return new AgentServerRuntime(new FixedAgentServer(place), ofTurns);
  },
};

/** Throws `ConfigFault` when there is no such kind, or when its options are wrong. */
export function createRuntime(kind: string, options: RuntimeOptions, kinds: RuntimeKinds = builtInKinds): AgentRuntime {
  const create = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (create === undefined)
    throw new ConfigFault(`kind ${JSON.stringify(kind)} is not available; the kinds are ${Object.keys(kinds).sort().join(', ')}`);
  return create(options);
}
