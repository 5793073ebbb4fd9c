import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { lockForServer } from '../database/server-lock.js';
import { ConfigFault } from '../plugin/index.js';
import type { Secrets } from './post-step.js';
import { Progress } from './progress.js';
import { steps } from './scenes/all-scenes.js';

const DATABASE = 'throughline.db';
const SECRETS = '.env';
const VARIABLES = { github: 'DEMO_GITHUB_SECRET', linear: 'DEMO_LINEAR_SECRET', slack: 'DEMO_SLACK_SECRET' } as const;

/** A folder that a demo works in: configuration, secrets, database, what the agents wrote, and how far the script is. */
export interface Home {
  readonly folder: string;
  readonly configFile: string;
  readonly logFile: string;
  readonly secrets: Secrets;
  readonly progress: Progress;
}

/**
 * Opens the folder: as it is when a script was cut short in it, else emptied for a new one.
 * Throws `ConfigFault` when another demo is at work there.
 */
export function openHome(folder: string): Home {
  mkdirSync(folder, { recursive: true });
  const unlock = lockForDemo(folder);
  const progressFile = path.join(folder, 'progress.jsonl');
  try {
    const earlier = Progress.read(progressFile);
    if (!earlier.hasBegun || earlier.isComplete(steps)) rmSync(folder, { recursive: true, force: true });
  } finally {
    unlock();
  }
  mkdirSync(folder, { recursive: true });
  const secrets = keptSecrets(path.join(folder, SECRETS));
  return {
    folder,
    secrets,
    configFile: path.join(folder, 'throughline.config.yaml'),
    logFile: path.join(folder, 'server.log'),
    progress: Progress.read(progressFile),
  };
}

function lockForDemo(folder: string): () => void {
  try {
    return lockForServer(path.join(folder, DATABASE));
  } catch (cause) {
    throw new ConfigFault(`another demo is at work in ${folder}: end it with Ctrl-C first, or start this one with --once`, { cause });
  }
}

function keptSecrets(file: string): Secrets {
  if (!existsSync(file)) {
    const lines = Object.values(VARIABLES).map((name) => `${name}=${randomBytes(24).toString('hex')}\n`);
    writeFileSync(file, lines.join(''), { mode: 0o600 });
  }
  const kept = new Map(
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  );
  const secretOf = (name: string) => kept.get(name) ?? '';
  return { github: secretOf(VARIABLES.github), linear: secretOf(VARIABLES.linear), slack: secretOf(VARIABLES.slack) };
}

/** Written at every start: another port may be free now. */
export function writeConfig({ configFile }: Home, port: number): void {
  const comment =
    '# Written by `npm run demo` at each of its starts. What it says works elsewhere, too: copy it, and change what you like.\n';
  writeFileSync(configFile, comment + stringify(configuration(port), { lineWidth: 0 }));
}

function configuration(port: number) {
  const secret = (source: keyof typeof VARIABLES) => ({ secret: { env: VARIABLES[source] } });
  const agent = fileURLToPath(new URL('agent.js', import.meta.url));
  return {
    server: { port },
    database: { url: `sqlite:./${DATABASE}` },
    connections: {
      github: { plugin: 'github', ...secret('github') },
      linear: { plugin: 'linear', ...secret('linear'), source: 'private' },
      slack: { plugin: 'slack', ...secret('slack'), source: 'private' },
    },
    runtimes: { demo: { kind: 'process', command: [process.execPath, agent], timeout: '1m' } },
    workspaces: { engineering: { runtime: 'demo' }, support: { runtime: 'demo' } },
    routes: {
      'github-talk': {
        connection: 'github',
        workspace: 'engineering',
        on: ['issues.{opened,reopened}', 'issue_comment.created', 'pull_request.opened', 'pull_request_review.submitted', 'push'],
      },
      'linear-issues': { connection: 'linear', workspace: 'engineering', on: ['Issue.*', 'Comment.create'] },
      'slack-threads': { connection: 'slack', workspace: 'support' },
    },
  };
}
