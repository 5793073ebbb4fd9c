import { mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type FastifyInstance, fastify } from 'fastify';
import { lockForServer } from '../database/server-lock.js';
import { Agents } from './agents.js';
import { refusalOf } from './answers.js';
import { Commands } from './commands.js';
import { Conversations } from './conversations.js';
import { Keys } from './keys.js';
import { Places } from './places.js';
import { addConversations, addEvents, addExecution, addShell, type Hosted } from './routes.js';
import { Sockets } from './sockets.js';

export interface AgentServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Absolute: conversations and workspaces are kept in it. One server at a time. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
}

export interface AgentServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** Whether it asks for a key. */
  readonly isGuarded: boolean;
  stop(): Promise<void>;
}

/** Turns that run at a time. */
const AT_ONCE = 10;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_FILE_BYTES = 110 * 1024 * 1024;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/i;

/** Starts a server of the agent server API; see docs/agent-server.md. */
export async function startAgentServer({ host, port, folder, env, version }: AgentServerOptions): Promise<AgentServer> {
  const [keys, agents, places] = [new Keys(env), new Agents(), new Places(AT_ONCE)];
  const workspaces = path.join(folder, 'workspaces');
  await mkdir(workspaces, { recursive: true, mode: 0o700 });
  const unlock = lockForServer(path.join(folder, 'agent-server'), 'give this one its own folder (--dir)');
  const hosted: Hosted = {
    conversations: await Conversations.open(path.join(folder, 'conversations'), agents, places),
    commands: new Commands(workspaces),
    workspaces,
  };
  // Without a key a page in a browser of this machine must not be able to ask for anything, by whatever name it reaches us.
  const isLocal = ({ headers }: IncomingMessage) => keys.areAny || (LOOPBACK.test(headers.host ?? '') && headers.origin === undefined);
  const app = appOf(hosted, keys, isLocal, version);
  const sockets = new Sockets(hosted.conversations, keys, isLocal);
  sockets.attach(app.server);
  await app.listen({ host, port });
  const { address, family, port: bound } = app.server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    isGuarded: keys.areAny,
    stop: async () => {
      sockets.close();
      await app.close();
      await Promise.all([hosted.conversations.close(), hosted.commands.close()]);
      await agents.close();
      unlock();
    },
  };
}

function appOf(hosted: Hosted, keys: Keys, isLocal: (request: IncomingMessage) => boolean, version: string): FastifyInstance {
  const app = fastify({ bodyLimit: MOST_BYTES, forceCloseConnections: true });
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = refusalOf(error);
    void reply.code(status).send(body);
  });
  app.setNotFoundHandler((_request, reply) => void reply.code(404).send({ detail: 'Not Found' }));
  app.addHook('onRequest', async ({ raw }, reply) => (isLocal(raw) ? undefined : reply.code(403).send({ detail: 'Forbidden' })));
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer', bodyLimit: MOST_FILE_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  for (const name of ['/alive', '/health']) app.get(name, async () => ({ status: 'ok' }));
  app.get('/ready', async () => ({ status: 'ready' }));
  app.get('/server_info', async () => ({ title: 'Throughline agent server', version, uptime: Math.floor(process.uptime()) }));
  app.register(
    async (api) => {
      api.addHook('onRequest', async ({ headers }, reply) =>
        keys.allow(headers['x-session-api-key']) ? undefined : reply.code(401).send({ detail: 'Unauthorized' }),
      );
      for (const add of [addConversations, addExecution, addEvents, addShell]) add(api, hosted);
    },
    { prefix: '/api' },
  );
  return app;
}
