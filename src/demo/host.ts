import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { ConsoleLogger } from '@nestjs/common';
import { adminTokenFile } from '../cli/configuration.js';
import { AdminApi } from '../cli/tail/admin-api.js';
import { type RunningServer, startServer } from '../server.js';
import { type Home, writeConfig } from './home.js';
import { Ledger } from './ledger.js';

export interface Host {
  readonly server: RunningServer;
  readonly ledger: Ledger;
}

const HOST = '127.0.0.1';
const PORTS_TRIED = 50;
const LAST_PORT = 65_536;

/** Starts the real server on the demo's folder, in this process: whoever kills the demo kills it, too. */
export async function startHost(home: Home, firstPort: number): Promise<Host> {
  const server = await startOnFreePort(home, firstPort);
  const token = readFileSync(adminTokenFile(home.folder), 'utf8').trim();
  return { server, ledger: new Ledger(new AdminApi(server.url, token, new AbortController().signal)) };
}

/** A port that was free when looked at may be another's when it is taken; then the next is tried. */
async function startOnFreePort(home: Home, firstPort: number): Promise<RunningServer> {
  const port = firstPort === 0 ? 0 : await freePort(firstPort);
  writeConfig(home, port);
  try {
    return await startServer({ cwd: home.folder, file: home.configFile, env: ownEnvironment(), logger: new FileLogger(home.logFile) });
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return startOnFreePort(home, port + 1);
  }
}

/** The table is alone on the screen; what the server has to say goes to a file. */
class FileLogger extends ConsoleLogger {
  constructor(private readonly file: string) {
    super({ colors: false });
  }

  protected override printMessages(messages: unknown[], context = '', level = 'log'): void {
    for (const message of messages) appendFileSync(this.file, `${new Date().toISOString()} ${level} [${context}] ${String(message)}\n`);
  }
}

/** Settings that are meant for another server must not reach into the demo. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(THROUGHLINE|DEMO)_/i.test(name)));
}

async function freePort(first: number): Promise<number> {
  for (let port = first; port < Math.min(first + PORTS_TRIED, LAST_PORT); port++) if (await isFree(port)) return port;
  return 0;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, HOST, () => probe.close(() => resolve(true)));
  });
}
