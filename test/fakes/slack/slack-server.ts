import { createServer } from 'node:http';
import { type Answer, type Call, FaultServer } from '../fault-server.js';
import { SocketMode } from './socket-mode.js';

type Values = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;

export interface SlackMessage {
  readonly ts: string;
  readonly thread_ts?: string;
  text: string;
  blocks: readonly Json[];
  metadata?: Json;
  subtype?: string;
  readonly bot_id?: string;
  readonly user?: string;
  edited?: { readonly ts: string };
  readonly team: string;
  readonly reactions: string[];
}

export interface SlackChannel {
  readonly messages: SlackMessage[];
  isMember: boolean;
  isArchived: boolean;
  /** What it is, beside a public channel: `is_im`, `is_private`. */
  readonly kind?: Json;
}

/** A refusal by name, as Slack gives it: with status 200. */
export function refusal(error: string, more: Json = {}): Answer {
  return { status: 200, body: { ok: false, error, ...more } };
}

class Refused extends Error {}

const TOKEN = 'xoxb-1-test';
const APP_TOKEN = 'xapp-1-test';

/** Slack's Web API as its reference describes the methods that the plugin calls. */
export class SlackServer extends FaultServer {
  readonly token = TOKEN;
  readonly appToken = APP_TOKEN;
  readonly sockets: SocketMode;
  scopes = 'chat:write,channels:history,channels:read,im:history,im:read,reactions:write';
  /** Workspaces of an Enterprise organisation that the app is installed for; none: one workspace. */
  teams: string[] = [];
  readonly channels = new Map<string, SlackChannel>();
  /** What was uploaded, by its id. */
  readonly files = new Map<string, Json>();
  /** What persons alone were shown, and what came to addresses of interactions. */
  readonly whispers: Json[] = [];
  /** What becomes of an address of an interaction after its uses. */
  responses = 5;
  /** Where the clock of its messages stands. */
  seconds = 1_767_225_600;

  private constructor(server = createServer()) {
    super(server);
    this.sockets = new SocketMode(server);
  }

  static start(): Promise<SlackServer> {
    return new SlackServer().listen();
  }

  override async close(): Promise<void> {
    this.sockets.close();
    await super.close();
  }

  addChannel(id: string, kind: Json = {}): SlackChannel {
    const channel: SlackChannel = { messages: [], isMember: true, isArchived: false, kind };
    this.channels.set(id, channel);
    return channel;
  }

  /** Somebody writes, a person unless `bot` says otherwise. */
  say(channel: string, words: Partial<SlackMessage>): SlackMessage {
    const message: SlackMessage = { ts: this.nextTs(), text: '', blocks: [], team: 'T0001', reactions: [], ...words };
    this.channels.get(channel)?.messages.push(message);
    return message;
  }

  callsOf(method: string): Call[] {
    return this.calls.filter((call) => isMethod(call, method));
  }

  protected answer(call: Call): Answer {
    if (call.path.startsWith('/response/')) return this.respond(call);
    const method = /^\/api\/([a-zA-Z.]+)$/.exec(call.path)?.[1];
    const values = Object.fromEntries(new URLSearchParams(call.body));
    if (call.method !== 'POST' || method === undefined) return { status: 404, body: 'Not found' };
    const { authorization } = call.headers;
    if (authorization === undefined) return refusal('not_authed');
    if (method === 'apps.connections.open') return this.openSocket(authorization);
    if (authorization !== `Bearer ${TOKEN}`) return refusal('invalid_auth');
    try {
      return { status: 200, body: { ok: true, ...this.carryOut(method, values) }, headers: { 'x-oauth-scopes': this.scopes } };
    } catch (error) {
      if (error instanceof Refused) return refusal(error.message);
      throw error;
    }
  }

  private openSocket(authorization: string): Answer {
    if (authorization !== `Bearer ${APP_TOKEN}`) return refusal('invalid_auth');
    return { status: 200, body: { ok: true, url: this.sockets.address(this.url) } };
  }

  private carryOut(method: string, values: Values): Json {
    switch (method) {
      case 'auth.test':
        return this.identity();
      case 'auth.teams.list':
        return { teams: this.teams.map((id) => ({ id })), response_metadata: { next_cursor: '' } };
      case 'users.conversations':
        return this.memberships(values);
      case 'chat.postMessage':
        return this.post(values);
      case 'chat.update':
        return this.update(values);
      case 'chat.postEphemeral':
        return this.whisper(values);
      case 'reactions.add':
        return this.react(values);
      case 'files.info':
        return { file: this.file(values) };
      case 'conversations.replies':
        return this.replies(values);
      case 'conversations.history':
        return this.history(values);
      default:
        throw new Refused('unknown_method');
    }
  }

  private identity(): Json {
    const bot = { bot_id: 'B0001', user_id: 'U0BOT' };
    return this.teams.length === 0
      ? { ...bot, team_id: 'T0001', is_enterprise_install: false }
      : { ...bot, team_id: 'E0001', enterprise_id: 'E0001', is_enterprise_install: true };
  }

  private memberships({ types = 'public_channel', team_id: team }: Values): Json {
    if (this.teams.length > 0 && !this.teams.includes(team ?? '')) throw new Refused('missing_argument');
    const isWanted = ({ kind = {} }: SlackChannel) => types.split(',').includes(kind.is_im === true ? 'im' : 'public_channel');
    const mine = [...this.channels].filter(([, channel]) => channel.isMember && !channel.isArchived && isWanted(channel));
    return { channels: mine.map(([id, { kind }]) => ({ id, ...kind })), response_metadata: { next_cursor: '' } };
  }

  private post(values: Values): Json {
    const channel = this.writable(values.channel);
    const { thread_ts } = values;
    if (thread_ts !== undefined && !channel.messages.some(({ ts }) => ts === thread_ts)) throw new Refused('thread_not_found');
    const content = contentOf(values);
    const message: SlackMessage = {
      ...{ ts: this.nextTs(), team: 'T0001', bot_id: 'B0001', reactions: [], ...content },
      ...(thread_ts !== undefined && { thread_ts }),
    };
    channel.messages.push(message);
    return { channel: values.channel, ts: message.ts, message };
  }

  private update(values: Values): Json {
    const message = this.messageIn(this.writable(values.channel), values.ts);
    if (message.bot_id !== 'B0001') throw new Refused('cant_update_message');
    Object.assign(message, contentOf(values));
    return { channel: values.channel, ts: message.ts, text: message.text };
  }

  private whisper({ channel, user, ...values }: Values): Json {
    this.writable(channel);
    if (user === undefined) throw new Refused('user_not_in_channel');
    this.whispers.push({ channel, user, ...values });
    return { message_ts: this.nextTs() };
  }

  private react({ channel, timestamp, name = '' }: Values): Json {
    const message = this.messageIn(this.writable(channel), timestamp);
    if (message.reactions.includes(name)) throw new Refused('already_reacted');
    message.reactions.push(name);
    return {};
  }

  private file({ file: id = '' }: Values): Json {
    const file = this.files.get(id);
    if (file === undefined) throw new Refused('file_not_found');
    return { id, ...file };
  }

  private replies(values: Values): Json {
    const { messages } = this.readable(values.channel);
    const root = messages.find(({ ts }) => ts === values.ts);
    if (root === undefined) throw new Refused('thread_not_found');
    const { oldest = '0' } = values;
    return page([root, ...messages.filter(({ thread_ts, ts }) => thread_ts === root.ts && ts !== root.ts && ts > oldest)], values);
  }

  private history(values: Values): Json {
    const { messages } = this.readable(values.channel);
    const { oldest = '0' } = values;
    const roots = messages.filter(({ thread_ts, ts, subtype }) => {
      return (thread_ts === undefined || thread_ts === ts || subtype === 'thread_broadcast') && ts > oldest;
    });
    const shown = roots.map((root) => {
      const replies = messages.filter(({ thread_ts, ts }) => thread_ts === root.ts && ts !== root.ts);
      return replies.length === 0 ? root : { ...root, thread_ts: root.ts, reply_count: replies.length, latest_reply: replies.at(-1)?.ts };
    });
    return page(shown.reverse(), values);
  }

  private readable(id = ''): SlackChannel {
    const channel = this.channels.get(id);
    if (channel === undefined) throw new Refused('channel_not_found');
    if (!channel.isMember) throw new Refused('not_in_channel');
    return channel;
  }

  private writable(id = ''): SlackChannel {
    const channel = this.readable(id);
    if (channel.isArchived) throw new Refused('is_archived');
    return channel;
  }

  private messageIn({ messages }: SlackChannel, wanted: string | undefined): SlackMessage {
    const message = messages.find(({ ts, subtype }) => ts === wanted && subtype !== 'tombstone');
    if (message === undefined) throw new Refused('message_not_found');
    return message;
  }

  private respond({ body }: Call): Answer {
    if (this.responses-- <= 0) return { status: 404, body: 'used_url' };
    this.whispers.push(JSON.parse(body) as Json);
    return { status: 200, body: 'ok' };
  }

  private nextTs(): string {
    return `${this.seconds++}.000100`;
  }
}

export function isMethod({ path }: Call, method: string): boolean {
  return path === `/api/${method}`;
}

/** The limits that Slack's reference states, and that it cuts longer texts. */
function contentOf({ text = '', blocks = '[]', metadata }: Values): Pick<SlackMessage, 'text' | 'blocks' | 'metadata'> {
  const read = JSON.parse(blocks) as Json[];
  if (text === '' && read.length === 0) throw new Refused('no_text');
  if (read.length > 50 || !read.every(isBlock)) throw new Refused('invalid_blocks');
  if (JSON.stringify(read).length > 16_000) throw new Refused('msg_blocks_too_long');
  const said = metadata === undefined ? undefined : (JSON.parse(metadata) as Json);
  if (said !== undefined && !(typeof said.event_type === 'string' && typeof said.event_payload === 'object'))
    throw new Refused('invalid_metadata_format');
  return { text: text.slice(0, 40_000), blocks: read, ...(said !== undefined && { metadata: said }) };
}

function isBlock({ type, text, elements }: Json): boolean {
  if (type === 'section') return isShort((text as Json).text, 3000);
  const buttons = (elements ?? []) as Json[];
  const ids = new Set(buttons.map(({ action_id }) => action_id));
  const isValid = buttons.every(({ value, action_id, text: label }) => {
    return isShort(value, 2000) && isShort(action_id, 255) && isShort((label as Json).text, 75);
  });
  return type === 'actions' && isValid && ids.size === buttons.length && buttons.length <= 25;
}

function isShort(value: unknown, longest: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= longest;
}

/** Metadata is shown only to who asks for it. */
function page(messages: readonly SlackMessage[], { limit = '100', cursor = '0', include_all_metadata }: Values): Json {
  const [first, size] = [Number(cursor), Number(limit)];
  const shown = messages.slice(first, first + size).map(({ metadata, ...message }) => {
    return { type: 'message', ...message, ...(include_all_metadata === 'true' && metadata && { metadata }) };
  });
  const next = first + size < messages.length ? String(first + size) : '';
  return { messages: shown, has_more: next !== '', response_metadata: { next_cursor: next } };
}
