// The product, built as users run it, one process or several on one database.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { makeFolder, removeFolder } from '../folders.mjs';
import { SECRET } from '../load/issue-comment.mjs';
import { now } from '../measure/clock.mjs';
import { Journal } from '../measure/journal.mjs';
import { startNode } from './child.mjs';

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
const STORELESS = fileURLToPath(new URL('storeless.mjs', import.meta.url));
const COUNTER = new URL('../profile/count-statements.mjs', import.meta.url).href;
const PLUGIN = fileURLToPath(new URL('../plugin/index.mjs', import.meta.url));

export const CONCURRENCY = 64;

/**
 * Starts a server a process; each entry of `processes` says how many turns it drives at once, 0 for one that only accepts.
 * Resolves when they are ready. `accepting` are the indexes of those that are posted to, all by default. `profile`: a folder for profiles.
 */
export async function startThroughline({ database, processes = [CONCURRENCY], accepting, ...settings }) {
  const folder = makeFolder();
  const servers = [];
  try {
    for (const [index, concurrency] of processes.entries())
      servers.push(await startServer({ ...settings, folder: path.join(folder, String(index)), url: database.url, concurrency }));
  } catch (error) {
    await stopAll(servers, folder);
    throw error;
  }
  const posted = accepting ?? servers.map((_, index) => index);
  return {
    urls: posted.map((index) => servers[index].url),
    pids: servers.map(({ child }) => child.pid),
    databasePids: database.pids,
    journal: new Journal(servers.map(({ journal }) => journal)),
    readyMs: servers[0].readyMs,
    stop: () => stopAll(servers, folder),
  };
}

async function stopAll(servers, folder) {
  await Promise.all(servers.map(({ child }) => child.end()));
  removeFolder(folder);
}

/** The same HTTP server without a store. */
export function startStoreless() {
  return startThroughline({ database: { url: 'sqlite:./unused.db', pids: [] }, script: STORELESS });
}

async function startServer({ folder, url, coalesce = 20, concurrency, profile = null, script = MAIN }) {
  mkdirSync(folder, { recursive: true });
  const journal = path.join(folder, 'journal');
  writeFileSync(path.join(folder, 'throughline.config.yaml'), stringify(configuration({ url, coalesce, concurrency, journal })));
  const begunAt = now();
  const nodeFlags = profile === null ? [] : ['--cpu-prof', '--cpu-prof-dir', profile, '--import', COUNTER];
  const env = profile === null ? {} : { BENCH_STATEMENTS: path.join(profile, 'statements.json') };
  const child = startNode([script], { cwd: folder, nodeFlags, env });
  try {
    const listening = await child.says(/Throughline listens on (\S+)/);
    return { child, journal, url: listening, readyMs: now() - begunAt };
  } catch (error) {
    await child.end();
    throw error;
  }
}

function configuration({ url, coalesce, concurrency, journal }) {
  return {
    server: { port: 0 },
    database: { url },
    workers: { concurrency },
    plugins: ['github', PLUGIN],
    connections: { gh: { plugin: 'github', secret: SECRET, source: 'private', rate: 'off' } },
    runtimes: { bench: { kind: 'journalled-echo', journal } },
    workspaces: { main: { runtime: 'bench' } },
    routes: { comments: { connection: 'gh', workspace: 'main', on: ['issue_comment.created'], coalesce } },
  };
}
