import {
  type Acknowledged,
  ChannelFault,
  type Connection,
  type ControlChannel,
  type ControlLimits,
  type ControlPost,
  type ControlThread,
  type ReplyHandle,
  type WantedThread,
} from 'throughline/plugin';
import { type About, channelFault } from './channel-faults.js';
import type { Clients } from './clients.js';
import type { Ask, DiscordClient } from './discord.api.js';
import type { DiscordConnection } from './discord.options.js';
import { isFailure } from './failure.js';
import { fields, snowflake } from './json.js';
import { changedMessage, checkText, LONGEST_TEXT, NOBODY, newMessage } from './message-body.js';
import { findOwn } from './own-messages.js';
import { RenameBudget } from './rename-budget.js';
import { threadOfStarter } from './starter.js';
import { change, closeThread, openThread, readThread } from './thread-at-discord.js';

const GONE = [10003, 10008];
const ARCHIVED = 50083;
const LOCKED = 160005;
const EYES = encodeURIComponent('👀');

type At = Connection<DiscordConnection>;

/** Threads under a text channel. */
export class DiscordControl implements ControlChannel<DiscordConnection> {
  readonly limits: ControlLimits = { title: 100, text: LONGEST_TEXT, editMs: 1_500 };

  /** The ids of the bots. */
  private readonly selves = new WeakMap<DiscordClient, string>();

  constructor(
    private readonly clients: Clients,
    private readonly renames = new RenameBudget(),
  ) {}

  missing({ options }: At): string | null {
    return options.token === undefined ? 'it has no `token` of a bot, which is what writes to threads' : null;
  }

  async ensureThread(wanted: WantedThread, connection: At, signal: AbortSignal): Promise<ControlThread> {
    return this.asking(connection, signal, 'parent', async (ask, self) => {
      const { known, parent } = wanted;
      const present = known?.parent === parent ? await readThread(ask, known.id, parent) : null;
      const thread = present ?? (await threadOfStarter(ask, await self(), wanted));
      await openThread(ask, thread).catch((error: unknown) => {
        throw channelFault(error, 'thread');
      });
      const { isArchived: _archived, isLocked: _locked, ...shown } = thread;
      return shown;
    });
  }

  async archive(thread: ControlThread, connection: At, signal: AbortSignal): Promise<void> {
    return this.asking(connection, signal, 'thread', (ask) => unless([...GONE, ARCHIVED], closeThread(ask, thread)));
  }

  async unarchive(thread: ControlThread, connection: At, signal: AbortSignal): Promise<void> {
    return this.asking(connection, signal, 'thread', async (ask) => {
      const present = await readThread(ask, thread.id, thread.parent);
      if (present === null) throw new ChannelFault('thread_gone', 'the thread was deleted, or stands under another parent');
      await openThread(ask, present);
    });
  }

  async rename(thread: ControlThread, title: string, connection: At, signal: AbortSignal): Promise<void> {
    this.renames.check(thread.id);
    return this.asking(connection, signal, 'thread', async (ask) => {
      await opening(ask, thread, () => change(ask, thread, { name: title }));
      this.renames.spend(thread.id);
    });
  }

  async post(thread: ControlThread, post: ControlPost, connection: At, signal: AbortSignal): Promise<{ readonly message: string }> {
    const body = newMessage(post);
    return this.asking(connection, signal, 'thread', async (ask) => {
      const posted = await opening(ask, thread, () => ask({ method: 'POST', path: `/channels/${thread.id}/messages`, body }));
      const message = snowflake(fields(posted)?.id);
      if (message === undefined) throw new Error('Discord answered a message without an id');
      return { message };
    });
  }

  async edit(thread: ControlThread, message: string, post: ControlPost, connection: At, signal: AbortSignal): Promise<void> {
    const body = changedMessage(post);
    const path = `/channels/${thread.id}/messages/${message}` as const;
    await this.asking(connection, signal, 'thread', (ask) => opening(ask, thread, () => ask({ method: 'PATCH', path, body })));
  }

  /** A message that is gone, or stands in a thread that was closed, needs no sign any more. */
  async acknowledge({ message: key }: Acknowledged, connection: At, signal: AbortSignal): Promise<void> {
    const [channel, message] = key.split('/').map(snowflake);
    if (!channel || !message) throw new ChannelFault('refused', `${key} is no message of Discord’s`);
    const path = `/channels/${channel}/messages/${message}/reactions/${EYES}/@me` as const;
    await this.asking(connection, signal, 'thread', (ask) => unless([...GONE, ARCHIVED], ask({ method: 'PUT', path })));
  }

  async answer({ application, token }: ReplyHandle, text: string, connection: At, signal: AbortSignal): Promise<void> {
    checkText(text);
    const body = { content: text, allowed_mentions: NOBODY };
    const path = `/webhooks/${application}/${token}` as const;
    return this.asking(connection, signal, 'thread', async (ask) => {
      try {
        await ask({ method: 'PATCH', path: `${path}/messages/@original`, body, auth: false });
      } catch (error) {
        // Without a deferred answer to fill in, this is the first one.
        if (!isFailure(error, 10008)) throw error;
        await ask({ method: 'POST', path, body: { ...body, flags: 64 }, auth: false });
      }
    });
  }

  async findMarker(thread: ControlThread, key: string, connection: At, signal: AbortSignal): Promise<string | null> {
    return this.asking(connection, signal, 'thread', async (ask, self) => {
      const found = await findOwn(ask, thread.id, await self(), key);
      return snowflake(found?.id) ?? null;
    });
  }

  /** Everything that goes wrong leaves as what the contract knows. */
  private async asking<Result>(
    connection: At,
    signal: AbortSignal,
    about: About,
    work: (ask: Ask, self: () => Promise<string>) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.clients.of(connection);
    const ask: Ask = (call) => client.ask({ ...call, signal });
    try {
      return await work(ask, () => this.selfOf(client, ask));
    } catch (error) {
      throw channelFault(error, about);
    }
  }

  private async selfOf(client: DiscordClient, ask: Ask): Promise<string> {
    const id = this.selves.get(client) ?? snowflake(fields(await ask({ method: 'GET', path: '/users/@me' }))?.id);
    if (id === undefined) throw new Error('Discord does not say who the bot is');
    this.selves.set(client, id);
    return id;
  }
}

/** What is gone, or done already, is as good as done. */
async function unless(codes: readonly number[], work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isFailure(error, ...codes)) throw error;
  });
}

/** A thread that is closed is opened first: Discord archives what was silent, and the host closes again what is to be closed. */
async function opening<Result>(ask: Ask, thread: ControlThread, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error, ARCHIVED, LOCKED)) throw error;
    const present = await readThread(ask, thread.id, thread.parent);
    if (present !== null) await openThread(ask, present);
    return await work();
  }
}
