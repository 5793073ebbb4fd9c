import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import { DiscordAPIError, GatewayIntentBits, HTTPError, RateLimitError, REST } from 'discord.js';
import type { Call, DiscordClient, GatewayEnd, GatewayLink, GatewayListener, GatewaySession } from './discord.api.js';
import { DiscordFailure } from './failure.js';

const API_URL = 'https://discord.com/api';

/** Longer pauses are the host's: it knows what else there is to do. */
const LONGEST_WAIT_MS = 2_000;

const HANDSHAKE_MS = 8_000;

const INTENTS = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.MessageContent;

/** Leaves the session standing, so that it can be resumed; discord.js closes with it for the same purpose. */
const KEEPING = 4200;
const ENDING = 1000;

/** Codes after which Discord does not know the session any more. */
const LOSING: ReadonlySet<number> = new Set([1000, 1001, 4003, 4005, 4007, 4009]);

/** The only file that knows discord.js. It is loaded when a connection uses it. */
export function createClient(token: string, apiUrl = API_URL): DiscordClient {
  const rest = new REST({
    api: apiUrl.replace(/\/+$/, ''),
    // What did not arrive is tried again by the host, which knows what may be done twice.
    retries: 0,
    rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > LONGEST_WAIT_MS,
  }).setToken(token);
  const ask = (call: Call) => request(rest, token, call);
  return { ask, connect: (listener) => connect(new Link(rest, token, listener)) };
}

async function request(rest: REST, token: string, { method, path, query, body, auth, signal }: Call): Promise<unknown> {
  try {
    return await rest.request({
      ...{ method: method as Parameters<REST['request']>[0]['method'], fullRoute: path, body, auth: auth ?? true },
      ...(query === undefined ? {} : { query: new URLSearchParams(query) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    // After a refusal discord.js forgets the token and fails in words that help nobody.
    rest.setToken(token);
    throw failureOf(error);
  }
}

/** Errors of discord.js hold the request with its body, and its path with tokens of interactions: nothing of that goes on. */
function failureOf(error: unknown): DiscordFailure {
  if (error instanceof RateLimitError) {
    const retryAfterMs = Math.max(error.retryAfter, error.timeToReset, error.sublimitTimeout);
    return new DiscordFailure('limited', 'Discord asks for a pause', { status: 429, retryAfterMs });
  }
  if (error instanceof DiscordAPIError) {
    const [code] = [error.code].filter((each) => typeof each === 'number');
    return new DiscordFailure('refused', error.message, { status: error.status, ...(code === undefined ? {} : { code }) });
  }
  if (error instanceof HTTPError) return new DiscordFailure('unknown', `Discord answered ${error.status}`, { status: error.status });
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const isUnreached = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(String(code));
  const said = typeof code === 'string' ? code : String(name ?? 'no answer');
  return new DiscordFailure(isUnreached ? 'unreached' : 'unknown', `Discord could not be asked (${said})`);
}

async function connect(link: Link): Promise<GatewayLink> {
  await link.ask();
  link.begin();
  return link;
}

/** One socket to the gateway. discord.js would make the next one by itself; here whoever knows what was lost decides about that. */
class Link implements GatewayLink {
  private readonly ending = Promise.withResolvers<GatewayEnd>();
  private readonly dialed = Promise.withResolvers<void>();
  private readonly manager: WebSocketManager;
  private begun: SessionInfo | null = null;
  private isDialing = false;
  private isLost = false;
  private isOver = false;

  constructor(
    private readonly rest: REST,
    private readonly token: string,
    private readonly listener: GatewayListener,
  ) {
    this.manager = new WebSocketManager({
      ...{ rest, token, intents: INTENTS, shardCount: 1, handshakeTimeout: HANDSHAKE_MS },
      retrieveSessionInfo: () => this.sessionInfo(),
      updateSessionInfo: (_shard, info) => this.noteSession(info),
    });
    this.listen();
  }

  get ended(): Promise<GatewayEnd> {
    return this.ending.promise;
  }

  /** Where the gateway is, and whether another session may begin. */
  async ask(): Promise<void> {
    const { session_start_limit: limit } = await this.manager.fetchGatewayInformation().catch((error: unknown) => {
      this.rest.setToken(this.token);
      throw failureOf(error);
    });
    if (limit.remaining < 1)
      throw new DiscordFailure('limited', 'the bot has begun as many sessions as Discord allows it in a day', {
        retryAfterMs: limit.reset_after,
      });
  }

  begin(): void {
    this.manager.connect().catch((error: unknown) => this.finish(null, failureOf(error)));
  }

  async close(keep: boolean): Promise<void> {
    const code = keep ? KEEPING : ENDING;
    this.finish(code);
    // A socket that is being made cannot be closed: either it opens, or its time is over.
    if (this.isDialing) await this.dialed.promise;
    await this.manager.destroy({ code, reason: 'closed by the host' });
  }

  private listen(): void {
    const { manager, listener } = this;
    manager.on(WebSocketShardEvents.Error, () => undefined);
    manager.on(WebSocketShardEvents.Hello, () => this.dialed.resolve());
    manager.on(WebSocketShardEvents.Closed, ({ code }) => {
      this.dialed.resolve();
      this.finish(code);
    });
    manager.on(WebSocketShardEvents.HeartbeatComplete, () => listener.heard());
    manager.on(WebSocketShardEvents.Resumed, () => listener.resumed());
    manager.on(WebSocketShardEvents.Ready, ({ data }) => {
      if (this.begun) listener.ready(sessionOf(this.begun), { id: data.application.id });
    });
    manager.on(WebSocketShardEvents.Dispatch, ({ data }) => {
      if (!this.isOver) listener.dispatch(data.t, data.d, data.s);
    });
  }

  /** discord.js asks before it makes a socket, and makes none while it has no answer: once it is over it gets none. */
  private async sessionInfo(): Promise<SessionInfo | null> {
    if (this.isOver) return new Promise(() => {});
    this.isDialing = true;
    const session = this.listener.session();
    return session && infoOf(session);
  }

  /** How far a session was read is counted elsewhere, by what is stored. */
  private noteSession(info: SessionInfo | null): void {
    if (info !== null) this.begun = info;
    else if (!this.isOver) this.isLost = true;
  }

  private finish(code: number | null, failure: DiscordFailure | null = null): void {
    this.isOver = true;
    this.ending.resolve({ code, isLost: this.isLost || LOSING.has(code ?? KEEPING), failure });
  }
}

function infoOf({ id, resumeUrl, sequence }: GatewaySession): SessionInfo {
  return { sessionId: id, resumeURL: resumeUrl, sequence, shardId: 0, shardCount: 1 };
}

function sessionOf({ sessionId, resumeURL, sequence }: SessionInfo): GatewaySession {
  return { id: sessionId, resumeUrl: resumeURL, sequence };
}
