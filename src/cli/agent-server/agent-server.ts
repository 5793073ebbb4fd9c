import { once } from 'node:events';
import path from 'node:path';
import { startAgentServer } from '../../agent-server/agent-server.js';
import { Keys } from '../../agent-server/keys.js';
import { say, type Terminal } from '../terminal.js';
import { UsageFault } from '../usage-fault.js';
import { version } from '../version.js';

export interface AgentServerArguments {
  readonly port: string;
  readonly host: string;
  readonly dir: string;
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|::1)$/i;

/** Serves until it is interrupted. The address is the line that programs wait for. */
export async function agentServer({ port, host, dir }: AgentServerArguments, terminal: Terminal): Promise<void> {
  const { env, cwd, err } = terminal;
  const number = Number(port);
  if (!/^\d{1,5}$/.test(port) || number > 65_535) throw new UsageFault(`--port ${port} is no port: give a number from 0 to 65535`);
  const isOurs = LOOPBACK.test(host);
  if (!isOurs && !new Keys(env).areAny)
    throw new UsageFault(`--host ${host} lets other machines in: set THROUGHLINE_AGENT_SERVER_KEY, which they then have to know`);
  const interrupted = terminal.interrupted();
  const server = await startAgentServer({ host, port: number, folder: path.resolve(cwd, dir), env, version: version() });
  if (!server.isGuarded) err.write('nobody is asked for a key: set THROUGHLINE_AGENT_SERVER_KEY to ask for one in X-Session-API-Key\n');
  say(terminal, `listening on ${server.url}`);
  if (!interrupted.aborted) await once(interrupted, 'abort');
  await server.stop();
}
