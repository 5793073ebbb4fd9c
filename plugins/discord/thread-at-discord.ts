import { ChannelFault, type ControlThread } from 'throughline/plugin';
import type { Ask } from './discord.api.js';
import { isFailure } from './failure.js';
import { type Fields, fields, snowflake } from './json.js';
import { urlOf } from './place.js';

const UNKNOWN_CHANNEL = 10003;
const MISSING_PERMISSIONS = 50013;

/** Announcement, public and private threads. */
const THREADS: ReadonlySet<unknown> = new Set([10, 11, 12]);

/** A thread as it stands at Discord. */
export interface ThreadAtDiscord extends ControlThread {
  readonly isArchived: boolean;
  readonly isLocked: boolean;
}

/** The thread, where it is one under this parent; null: there is none. */
export async function readThread(ask: Ask, id: string, parent: string): Promise<ThreadAtDiscord | null> {
  try {
    const thread = threadOf(await ask({ method: 'GET', path: `/channels/${id}` }));
    return thread?.parent === parent ? thread : null;
  } catch (error) {
    if (isFailure(error, UNKNOWN_CHANNEL)) return null;
    throw error;
  }
}

export function threadOf(answer: unknown): ThreadAtDiscord | null {
  const channel = fields(answer) ?? {};
  const [id, parent, guild] = [snowflake(channel.id), snowflake(channel.parent_id), snowflake(channel.guild_id)];
  if (!id || !parent || !THREADS.has(channel.type)) return null;
  const metadata = fields(channel.thread_metadata) ?? {};
  const title = typeof channel.name === 'string' ? channel.name : '';
  const url = guild === undefined ? {} : { url: urlOf({ guild, channel: id }) };
  return { id, parent, title, ...url, isArchived: metadata.archived === true, isLocked: metadata.locked === true };
}

/** Opens it where it is closed; what is in the way of that is thrown as a `ChannelFault`. */
export async function openThread(ask: Ask, thread: ThreadAtDiscord): Promise<void> {
  if (!thread.isArchived && !thread.isLocked) return;
  try {
    // Whoever made a thread may open it, but not say anything about its lock.
    await change(ask, thread, thread.isLocked ? { archived: false, locked: false } : { archived: false });
  } catch (error) {
    if (!thread.isLocked || !isFailure(error, MISSING_PERMISSIONS)) throw error;
    throw new ChannelFault('thread_locked', 'the thread is locked: unlock it, or give the bot the permission Manage Threads');
  }
}

/** Closed and locked in one request, so that no message of a person opens it again. */
export async function closeThread(ask: Ask, thread: Pick<ControlThread, 'id'>): Promise<void> {
  try {
    await change(ask, thread, { archived: true, locked: true });
  } catch (error) {
    if (!isFailure(error, MISSING_PERMISSIONS)) throw error;
    await change(ask, thread, { archived: true });
  }
}

export async function change(ask: Ask, { id }: Pick<ControlThread, 'id'>, body: Fields): Promise<void> {
  await ask({ method: 'PATCH', path: `/channels/${id}`, body });
}
