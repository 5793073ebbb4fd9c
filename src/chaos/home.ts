import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { packageFolder } from '../demo/package-folder.js';

/** The folder of a run, and what its servers are started with. */
export interface ChaosHome {
  readonly folder: string;
  readonly secret: string;
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface ServerSettings {
  readonly url: string;
  readonly leaseMs: number;
  readonly concurrency: number;
  readonly runtime: Readonly<Record<string, unknown>>;
}

/** The agent whose log is judged. */
export interface JudgedAgent {
  readonly log: string;
  /** On each message. */
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
  writeFileSync(path.join(folder, 'throughline.config.yaml'), stringify(configuration(settings, secret), { lineWidth: 0 }));
  return { folder, secret, token, env: { THROUGHLINE_ADMIN_TOKEN: token } };
}

export function judgedRuntime({ log, takesMs, failing }: JudgedAgent): ServerSettings['runtime'] {
  // As built, also when this runs from its sources.
  const agent = path.join(packageFolder(), 'dist', 'src', 'chaos', 'agent.js');
  return { kind: 'process', command: [process.execPath, agent, log, String(takesMs), String(failing)], timeout: '1m' };
}

function configuration({ url, leaseMs, concurrency, runtime }: ServerSettings, secret: string) {
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
    runtimes: { agent: runtime },
    workspaces: { main: { runtime: 'agent', env: ['CHAOS_SERVER'] } },
    routes: { events: { connection: 'gh', workspace: 'main' } },
  };
}
