/** A configuration as `throughline.config.json` holds it. */
export type HostConfig = Readonly<Record<string, unknown>>;

/** What a configuration leaves out: the fake agent, a workspace for it, routes that take all that comes; an end waits for no turn. */
export function completed(config: HostConfig): HostConfig {
  const connections = Object.keys((config['connections'] ?? {}) as object);
  return {
    plugins: [],
    runtimes: { agent: { kind: 'fake' } },
    workspaces: { main: { runtime: 'agent' } },
    routes: Object.fromEntries(connections.map((connection) => [connection, { connection, workspace: 'main' }])),
    ...config,
    workers: { grace: '0s', ...(config['workers'] as object | undefined) },
  };
}
