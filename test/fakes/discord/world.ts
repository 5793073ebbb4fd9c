import type { Json, Message, Permission, Thread } from './shapes.js';

const EPOCH_MS = 1_420_070_400_000;
const MOST_ACTIVE = 1_000;

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly headers: Record<string, string> = {},
    readonly more: Json = {},
  ) {
    super(message);
  }
}

/** One server with its channels, threads and messages, as Discord would keep it. */
export class World {
  readonly guild = '200000000000000001';
  readonly parent = '200000000000000010';
  readonly bot = { id: '100000000000000009', username: 'agent', discriminator: '0000', global_name: null, avatar: null, bot: true };
  readonly application = '100000000000000099';
  readonly channels = new Map<string, Json & { id: string }>();
  readonly messages = new Map<string, Message[]>();
  readonly reactions: string[] = [];
  readonly denied = new Set<Permission>();
  mostActive = MOST_ACTIVE;
  tell: (name: string, data: Json) => void = () => {};
  private last = 0n;
  private readonly renames = new Map<string, number>();

  constructor() {
    this.addChannel(this.parent);
  }

  /** Ids grow, and hold the time. */
  nextId(at = Date.now()): string {
    const id = BigInt(Math.max(0, at - EPOCH_MS)) << 22n;
    this.last = id > this.last ? id : this.last + 1n;
    return String(this.last);
  }

  addChannel(id: string, type = 0): void {
    this.channels.set(id, { id, type, guild_id: this.guild, name: 'agents', last_message_id: null });
    this.messages.set(id, []);
  }

  addThread(name: string, owner: string, id = this.nextId(), parent = this.parent): Thread {
    const now = new Date().toISOString();
    const thread_metadata = { archived: false, archive_timestamp: now, auto_archive_duration: 10080, locked: false };
    const thread: Thread = {
      id,
      type: 11,
      guild_id: this.guild,
      name,
      parent_id: parent,
      owner_id: owner,
      last_message_id: null,
      thread_metadata,
    };
    this.channels.set(id, thread);
    this.messages.set(id, []);
    this.tell('THREAD_CREATE', { ...thread, newly_created: true });
    return thread;
  }

  threads(): Thread[] {
    return [...this.channels.values()].filter((channel): channel is Thread => 'thread_metadata' in channel);
  }

  active(): Thread[] {
    return this.threads().filter(({ thread_metadata }) => !thread_metadata.archived);
  }

  thread(id: string): Thread {
    const found = this.channel(id);
    if (!('thread_metadata' in found)) throw new Error(`${id} is no thread`);
    return found as Thread;
  }

  channel(id: string): Json & { id: string } {
    const found = this.channels.get(id);
    if (!found) throw new Refusal(404, 10003, 'Unknown Channel');
    return found;
  }

  /** A person's deed. */
  deleteChannel(id: string): void {
    const { guild_id, parent_id, type } = this.channel(id);
    this.channels.delete(id);
    this.messages.delete(id);
    this.tell('THREAD_DELETE', { id, guild_id, parent_id, type });
  }

  /** A person writes; nothing is told while `silent`. */
  say(
    channel: string,
    content: string,
    author: Json = { id: '100000000000000001', username: 'octocat', global_name: 'Octo Cat' },
  ): Message {
    return this.write(channel, { content, author });
  }

  write(
    channelId: string,
    { content, author, nonce, components = [] }: { content: string; author: Json; nonce?: string; components?: unknown[] },
  ): Message {
    const channel = this.channel(channelId);
    const [id, timestamp] = [this.nextId(), new Date().toISOString()];
    const message: Message = {
      id,
      channel_id: channelId,
      author,
      content,
      timestamp,
      edited_timestamp: null,
      type: 0,
      attachments: [],
      embeds: [],
      components,
    };
    channel.last_message_id = id;
    if ('thread_metadata' in channel) (channel as Thread).thread_metadata.archived = false;
    this.messages.get(channelId)?.push(message);
    this.tell('MESSAGE_CREATE', { ...message, guild_id: this.guild, member: { roles: [] }, ...(nonce === undefined ? {} : { nonce }) });
    return message;
  }

  message(channel: string, id: string): Message {
    this.channel(channel);
    const found = this.messages.get(channel)?.find((each) => each.id === id);
    if (!found) throw new Refusal(404, 10008, 'Unknown Message');
    return found;
  }

  change(thread: Thread, change: { archived?: boolean; locked?: boolean; name?: string }): void {
    const metadata = thread.thread_metadata;
    if (metadata.archived && change.archived !== false) throw new Refusal(400, 50083, 'Thread is archived');
    if (change.locked !== undefined || metadata.locked) this.need('MANAGE_THREADS');
    if (change.name !== undefined && change.name !== thread.name) this.rename(thread, change.name);
    if (change.archived !== undefined) metadata.archived = change.archived;
    if (change.locked !== undefined) metadata.locked = change.locked;
    metadata.archive_timestamp = new Date().toISOString();
    this.tell('THREAD_UPDATE', { ...thread });
  }

  need(permission: Permission): void {
    if (this.denied.has('VIEW_CHANNEL')) throw new Refusal(403, 50001, 'Missing Access');
    if (this.denied.has(permission)) throw new Refusal(403, 50013, 'Missing Permissions');
  }

  private rename(thread: Thread, name: string): void {
    if (name.trim() === '' || name.length > 100) throw new Refusal(400, 50035, 'Invalid Form Body');
    const done = this.renames.get(thread.id) ?? 0;
    const headers = { 'retry-after': '582', 'x-ratelimit-scope': 'shared', 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4' };
    if (done >= 2) throw new Refusal(429, 0, 'The resource is being rate limited.', headers, { retry_after: 582.019, global: false });
    this.renames.set(thread.id, done + 1);
    thread.name = name;
  }
}
