import { ChannelFault, type Connection, type WantedThread } from 'throughline/plugin';
import { type Fields, fields, list, slackId, timestamp, word } from './json.js';
import { unescaped } from './mrkdwn.js';
import { callSlack } from './slack.client.js';
import type { SlackConnection } from './slack.options.js';

/** Types of the metadata that our messages carry: people do not see it, Slack gives it back. */
export const THREAD = 'throughline_thread';
export const POST = 'throughline_post';

const PAGE = 200;
/** How many pages of a channel are searched for a thread whose making had no answer: it is among the newest. */
const CHANNEL_PAGES = 3;
const THREAD_PAGES = 100;

export interface ThreadId {
  readonly channel: string;
  readonly ts: string;
}

/** The message that a thread hangs on. */
export interface Root {
  readonly ts: string;
  readonly title: string;
  /** Whose thread it is, where the message is ours. */
  readonly conversation: string | undefined;
  readonly team: string | undefined;
}

/** From `<channel>/<ts>`. */
export function threadId(id: string): ThreadId {
  const place = readThreadId(id);
  if (place === null) throw new ChannelFault('thread_gone', `${id} is no thread of Slack; a new one is made`);
  return place;
}

function readThreadId(id: string): ThreadId | null {
  const [first, second, ...more] = id.split('/');
  const [channel, ts] = [slackId(first), timestamp(second)];
  return channel === undefined || ts === undefined || more.length > 0 ? null : { channel, ts };
}

/**
 * Where a conversation may be shown already: in the thread that is known, or, when it is about a thread of this very channel, in that one.
 */
export function candidates({ known, parent, subject }: WantedThread): ThreadId[] {
  const [, ...own] = subject.namespace.startsWith('slack:') ? subject.key.split('/') : [];
  const ids = [known?.parent === parent ? known.id : '', own.join('/')];
  return ids.flatMap((id) => readThreadId(id) ?? []).filter((place) => place.channel === parent);
}

/** Null: deleted. A deleted message with replies leaves a tombstone. */
export async function rootOf(
  channel: string,
  ts: string,
  connection: Connection<SlackConnection>,
  signal: AbortSignal,
): Promise<Root | null> {
  try {
    const values = { channel, ts, limit: 1, inclusive: true, include_all_metadata: true };
    const [message] = list((await callSlack('read', 'conversations.replies', values, connection, signal)).messages);
    return message?.ts === ts && message.subtype !== 'tombstone' ? readRoot(message) : null;
  } catch (error) {
    if (error instanceof ChannelFault && (error.state === 'thread_gone' || error.state === 'message_gone')) return null;
    throw error;
  }
}

/** A thread that was made although its answer got lost. */
export async function findThread(
  channel: string,
  conversation: string,
  connection: Connection<SlackConnection>,
  signal: AbortSignal,
): Promise<Root | null> {
  const pages = messages('conversations.history', { channel }, CHANNEL_PAGES, connection, signal);
  for await (const message of pages) {
    const root = readRoot(message);
    if (root?.conversation === conversation && (await isOwn(message, connection, signal))) return root;
  }
  return null;
}

/** Other apps can write the same metadata, and ids of conversations can be guessed: only what our own bot wrote is ours. */
async function isOwn(message: Fields, connection: Connection<SlackConnection>, signal: AbortSignal): Promise<boolean> {
  const bot = slackId((await callSlack('read', 'auth.test', {}, connection, signal)).bot_id);
  return bot !== undefined && slackId(message.bot_id) === bot;
}

export async function findPost(
  { channel, ts }: ThreadId,
  key: string,
  connection: Connection<SlackConnection>,
  signal: AbortSignal,
): Promise<string | null> {
  for await (const message of messages('conversations.replies', { channel, ts }, THREAD_PAGES, connection, signal)) {
    if (markerOf(message, POST).key === key) return timestamp(message.ts) ?? null;
  }
  return null;
}

async function* messages(
  method: string,
  about: Fields,
  most: number,
  connection: Connection<SlackConnection>,
  signal: AbortSignal,
): AsyncGenerator<Fields> {
  let cursor: string | undefined;
  for (let page = 0; page < most; page++) {
    const values = { ...about, limit: PAGE, include_all_metadata: true, ...(cursor !== undefined && { cursor }) };
    const answer = await callSlack('read', method, values, connection, signal);
    yield* list(answer.messages);
    cursor = word(fields(answer.response_metadata)?.next_cursor);
    if (cursor === undefined) return;
  }
  // What was not looked at may be what is looked for.
  if (method === 'conversations.replies') throw new Error(`the thread has more than ${most * PAGE} messages, too many to search`);
}

function readRoot(message: Fields): Root | null {
  const ts = timestamp(message.ts);
  if (ts === undefined) return null;
  const { conversation, title } = markerOf(message, THREAD);
  const words = unescaped(word(message.text) ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  const shown = word(title) ?? (words === '' ? 'A thread' : Array.from(words).slice(0, 100).join(''));
  return { ts, title: shown, conversation: word(conversation), team: slackId(message.team) };
}

function markerOf(message: Fields, type: string): Fields {
  const metadata = fields(message.metadata);
  return metadata?.event_type === type ? (fields(metadata.event_payload) ?? {}) : {};
}
