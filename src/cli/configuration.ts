import { join } from 'node:path';
import type { LoadedConfig, ServerConfig } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import type { ConfigOption } from './config-option.js';
import type { Terminal } from './terminal.js';

export function configurationOf({ cwd, env }: Terminal, { config }: ConfigOption): Promise<LoadedConfig> {
  return loadConfig({ cwd, env, file: config });
}

/** Where this machine reaches the server that the configuration describes. */
export function localUrl({ host, port }: ServerConfig): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Where the first start leaves the token of an admin. */
export function adminTokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}
