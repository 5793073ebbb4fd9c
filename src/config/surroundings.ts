import type { Surroundings } from '../core/automations/surroundings.js';
import type { Config, ConnectionConfig, RuntimeConfig } from './config.js';

/** What the configuration has for the automations of an organisation. */
export function surroundingsOf(
  { runtimes, workspaces, connections }: Pick<Config, 'runtimes' | 'workspaces' | 'connections'>,
  org: string,
): Surroundings {
  const own = <Named extends { readonly org: string }>(all: readonly Named[]) => all.filter((each) => each.org === org);
  return {
    runtimes: new Map(runtimes.map((runtime) => [runtime.name, { agent: agentOf(runtime), isSandboxed: isSandboxed(runtime) }])),
    workspaces: new Map(own(workspaces).map(({ name, runtime }) => [name, { runtime }])),
    sources: new Map(own(connections).map((connection) => [connection.name, { namesSubjects: namesSubjects(connection) }])),
  };
}

/** The same kind of program with other arguments is the same agent still. */
function agentOf({ kind, options }: RuntimeConfig): string {
  return 'preset' in options && typeof options.preset === 'string' ? `${kind}, ${options.preset}` : kind;
}

function isSandboxed({ kind, options }: RuntimeConfig): boolean {
  return kind === 'agent-server' && 'sandbox' in options && (options.sandbox ?? null) !== null;
}

/** Providers know what their events are about; any sender's webhooks do where the connection says how to tell. */
function namesSubjects({ plugin, options }: ConnectionConfig): boolean {
  return plugin !== 'webhook' || options.subject !== undefined;
}
