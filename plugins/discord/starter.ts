import { ChannelFault, type WantedThread } from 'throughline/plugin';
import type { Ask } from './discord.api.js';
import { isFailure } from './failure.js';
import { fields, snowflake } from './json.js';
import { newMessage } from './message-body.js';
import { findOwn } from './own-messages.js';
import { snowflakeAt } from './snowflake.js';
import { readThread, type ThreadAtDiscord, threadOf } from './thread-at-discord.js';

const THREAD_EXISTS = 160004;
const DAY_MS = 24 * 3600_000;

/** Seven days, the longest that Discord offers, in its minutes. */
const LONGEST_SILENCE = 10_080;

/**
 * A thread hangs on a message of ours in the parent, and has its id. The message is posted once for a conversation, by nonce and marker, and
 * has at most one thread: so an answer that was lost makes no second thread.
 */
export async function threadOfStarter(ask: Ask, self: string, wanted: WantedThread): Promise<ThreadAtDiscord> {
  const starter = (await findStarter(ask, self, wanted)) ?? (await postStarter(ask, wanted));
  const present = await readThread(ask, starter, wanted.parent);
  return present ?? (await beginThread(ask, starter, wanted));
}

/** Only a starter whose making was interrupted is not known to the host, and that is tried again soon. */
async function findStarter(ask: Ask, self: string, wanted: WantedThread): Promise<string | undefined> {
  return snowflake((await findOwn(ask, wanted.parent, self, keyOf(wanted), snowflakeAt(Date.now() - DAY_MS)))?.id);
}

async function postStarter(ask: Ask, wanted: WantedThread): Promise<string> {
  const body = newMessage({ text: wanted.title, key: keyOf(wanted) });
  const id = snowflake(fields(await ask({ method: 'POST', path: `/channels/${wanted.parent}/messages`, body }))?.id);
  if (id === undefined) throw new Error('Discord answered a message without an id');
  return id;
}

async function beginThread(ask: Ask, starter: string, { parent, title }: WantedThread): Promise<ThreadAtDiscord> {
  const path = `/channels/${parent}/messages/${starter}` as const;
  try {
    const thread = threadOf(
      await ask({ method: 'POST', path: `${path}/threads`, body: { name: title, auto_archive_duration: LONGEST_SILENCE } }),
    );
    if (thread === null) throw new Error('Discord answered a new thread that is none');
    return thread;
  } catch (error) {
    if (!isFailure(error, THREAD_EXISTS)) throw error;
    const thread = await readThread(ask, starter, parent);
    if (thread !== null) return thread;
    // Its thread was deleted before anybody knew of it, and it can have no other one.
    await ask({ method: 'DELETE', path });
    throw new ChannelFault('unavailable', 'the thread was deleted while it was made; another one is made at the next try', null);
  }
}

/** One that replaces another hangs on a message of its own. */
function keyOf({ conversation, known }: WantedThread): string {
  return `thread ${conversation} ${known?.id ?? 'first'}`;
}
