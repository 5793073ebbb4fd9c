import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gateway } from './gateway.js';
import { needsBot, perform, RestState } from './rest.js';
import type { Json, Manner, Seen } from './shapes.js';
import { Refusal, World } from './world.js';

const API = '/api/v10';

/** The bot of the recorded events; the first part of its token is its id. */
export const BOT_TOKEN = `${Buffer.from('100000000000000009').toString('base64url')}.fake.token`;

/** Discord on this machine: REST and gateway, with the answers that its documentation gives, and others on command. */
export class DiscordServer {
  readonly world = new World();
  readonly rest = new RestState();
  readonly seen: Seen[] = [];
  readonly gateway: Gateway;
  sessionsLeft = 1_000;
  manner: (seen: Seen) => Manner = () => 'ok';

  private constructor(private readonly server: Server) {
    const { bot, application, guild } = this.world;
    const ready = { v: 10, user: bot, guilds: [{ id: guild, unavailable: true }], application: { id: application, flags: 0 } };
    this.gateway = new Gateway(server, BOT_TOKEN, ready, () => this.gatewayUrl);
    this.world.tell = (name, data) => this.gateway.dispatch(name, data);
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<DiscordServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new DiscordServer(server);
  }

  /** What a connection has as `apiUrl`. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/api`;
  }

  calls(method: string, path: RegExp): Seen[] {
    return this.seen.filter((each) => each.method === method && path.test(each.path));
  }

  async close(): Promise<void> {
    this.gateway.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  private get gatewayUrl(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://discord.invalid');
    const path = url.pathname.slice(API.length);
    const seen = { method: request.method ?? '', path, query: url.searchParams, body: await bodyOf(request) };
    this.seen.push(seen);
    const manner = this.manner(seen);
    try {
      if (typeof manner === 'object') throw new Refusal(manner.status, manner.code ?? 0, 'on command', manner.headers);
      if (!url.pathname.startsWith(API)) throw new Refusal(404, 0, '404: Not Found');
      if (needsBot(path) && request.headers.authorization !== `Bot ${BOT_TOKEN}`) throw new Refusal(401, 0, '401: Unauthorized');
      const answer = path === '/gateway/bot' ? this.gatewayBot() : perform(this.world, seen, this.rest);
      if (manner === 'drop') response.destroy();
      else if (manner !== 'hang') reply(response, answer === null ? 204 : 200, answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reply(response, error.status, { message: error.message, code: error.code, ...error.more }, error.headers);
    }
  }

  private gatewayBot(): Json {
    const session_start_limit = { total: 1_000, remaining: this.sessionsLeft, reset_after: 3_600_000, max_concurrency: 1 };
    return { url: this.gatewayUrl, shards: 1, session_start_limit };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Json);
}

function reply(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...(status === 204 ? {} : { 'content-type': 'application/json' }), ...headers });
  response.end(status === 204 ? '' : JSON.stringify(body));
}
