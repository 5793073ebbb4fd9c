import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { packageFolder } from '../demo/package-folder.js';

/** The folder of a run, and what its servers are started with. */
export interface ChaosHome {
  readonly folder: string;
  readonly agentLog: string;
  readonly secret: string;
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface ServerSettings {
  readonly url: string;
  readonly leaseMs: number;
  readonly concurrency: number;
  /** Of an agent, on each message. */
  readonly takesMs: number;
  /** Share of turns that fail by themselves. */
  readonly failing: number;
}

export function makeFolder(): string {
  return mkdtempSync(path.join(os.tmpdir(), 'throughline-chaos-'));
}

export function makeHome(folder: string, settings: ServerSettings): ChaosHome {
  const secret = randomBytes(24).toString('hex');
  const token = randomBytes(24).toString('hex');
  const agentLog = path.join(folder, 'agent.log');
  writeFileSync(path.join(folder, 'throughline.config.yaml'), stringify(configuration(settings, secret, agentLog), { lineWidth: 0 }));
  return { folder, agentLog, secret, token, env: { THROUGHLINE_ADMIN_TOKEN: token } };
}

function configuration({ url, leaseMs, concurrency, takesMs, failing }: ServerSettings, secret: string, agentLog: string) {
  // As built, also when this runs from its sources.
  const agent = path.join(packageFolder(), 'dist', 'src', 'chaos', 'agent.js');
  return {
    database: { url },
    connections: { gh: { plugin: 'github', secret, rate: 'off' } },
    workers: {
      concurrency,
      lease: `${leaseMs}ms`,
      heartbeat: `${Math.floor(leaseMs / 3)}ms`,
      grace: '1s',
      backoff: { first: '100ms', factor: 2, max: '1s' },
    },
    runtimes: { agent: { kind: 'process', command: [process.execPath, agent, agentLog, String(takesMs), String(failing)], timeout: '1m' } },
    workspaces: { main: { runtime: 'agent', env: ['CHAOS_SERVER'] } },
    routes: { events: { connection: 'gh', workspace: 'main' } },
  };
}
