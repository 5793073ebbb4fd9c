import {
  type Acknowledged,
  ChannelFault,
  type Connection,
  type ControlChannel,
  type ControlPost,
  type ControlThread,
  type ReplyHandle,
  type WantedThread,
} from 'throughline/plugin';
import { type Fields, fields, timestamp, word } from './json.js';
import { escaped } from './mrkdwn.js';
import { messageOf, QUIET } from './post.js';
import { callSlack, respond } from './slack.client.js';
import { answeredName } from './slack.faults.js';
import type { SlackConnection } from './slack.options.js';
import { candidates, findPost, findThread, type Root, rootOf, THREAD, threadId } from './slack.threads.js';

type Slack = Connection<SlackConnection>;

const ENOUGH: ReadonlySet<string> = new Set(['already_reacted', 'too_many_reactions', 'message_not_found']);

/** Threads in a channel: https://docs.slack.dev/reference/methods/chat.postMessage */
export class SlackControl implements ControlChannel<SlackConnection> {
  /** Slack recommends 4,000 characters, and takes some 50 edits a minute of an app. */
  readonly limits = { title: 100, text: 4_000, editMs: 3_000 };

  missing({ name, options }: Slack): string | null {
    return options.token === undefined
      ? `connections.${name} needs \`token\`, the bot token of the Slack app (xoxb-…), to show threads`
      : null;
  }

  async ensureThread(wanted: WantedThread, connection: Slack, signal: AbortSignal): Promise<ControlThread> {
    const root = await this.existing(wanted, connection, signal);
    return root ?? this.create(wanted, connection, signal);
  }

  /** Threads of Slack cannot be closed: what is written there later still arrives. */
  async archive(): Promise<void> {}

  async unarchive(): Promise<void> {}

  /** A thread that people began keeps its words: only its author may change them. */
  async rename(thread: ControlThread, title: string, connection: Slack, signal: AbortSignal): Promise<void> {
    const { channel, ts } = threadId(thread.id);
    const root = await rootOf(channel, ts, connection, signal);
    if (root?.conversation === undefined) return;
    await callSlack('write', 'chat.update', { channel, ts, ...rootContent(title, root.conversation) }, connection, signal);
  }

  async post(thread: ControlThread, post: ControlPost, connection: Slack, signal: AbortSignal): Promise<{ readonly message: string }> {
    const { channel, ts } = threadId(thread.id);
    const values = { channel, thread_ts: ts, ...messageOf(post, this.limits.text) };
    return { message: timestampOf(await callSlack('write', 'chat.postMessage', values, connection, signal)) };
  }

  async edit(thread: ControlThread, message: string, post: ControlPost, connection: Slack, signal: AbortSignal): Promise<void> {
    const { channel } = threadId(thread.id);
    const values = { channel, ts: message, ...messageOf(post, this.limits.text) };
    await callSlack('write', 'chat.update', values, connection, signal);
  }

  /** An eye on the message, which stays there. */
  async acknowledge({ message }: Acknowledged, connection: Slack, signal: AbortSignal): Promise<void> {
    const [, channel, ts] = /^[^/]+\/([^/]+)\/([\d.]+)$/.exec(message) ?? [];
    if (channel === undefined) throw new ChannelFault('refused', `${message} is no message of Slack`);
    try {
      await callSlack('write', 'reactions.add', { channel, timestamp: ts, name: 'eyes' }, connection, signal);
    } catch (error) {
      if (!ENOUGH.has(answeredName(error) ?? '')) throw error;
    }
  }

  /** Seen by the person alone. The address lives for 30 minutes and 5 uses; after that the channel itself is used. */
  async answer(handle: ReplyHandle, text: string, connection: Slack, signal: AbortSignal): Promise<void> {
    const { url, channel, user, thread_ts } = handle;
    const content = { text: escaped(text), ...QUIET };
    if (url !== undefined && isOfSlack(url, connection.options)) {
      if (await respond(url, { ...content, response_type: 'ephemeral', replace_original: false, ...(thread_ts && { thread_ts }) }, signal))
        return;
    }
    if (channel === undefined || user === undefined) throw new ChannelFault('refused', 'the address of the answer has expired');
    await callSlack('write', 'chat.postEphemeral', { channel, user, ...(thread_ts && { thread_ts }), ...content }, connection, signal);
  }

  findMarker(thread: ControlThread, key: string, connection: Slack, signal: AbortSignal): Promise<string | null> {
    return findPost(threadId(thread.id), key, connection, signal);
  }

  private async existing(wanted: WantedThread, connection: Slack, signal: AbortSignal): Promise<ControlThread | null> {
    const { parent, conversation } = wanted;
    for (const { ts } of candidates(wanted)) {
      const root = await rootOf(parent, ts, connection, signal);
      if (root !== null && (root.conversation ?? conversation) === conversation) return shown(parent, root);
    }
    const marked = await findThread(parent, conversation, connection, signal);
    return marked && shown(parent, marked);
  }

  private async create({ parent, title, conversation }: WantedThread, connection: Slack, signal: AbortSignal): Promise<ControlThread> {
    const values = { channel: parent, ...rootContent(title, conversation) };
    const answer = await callSlack('write', 'chat.postMessage', values, connection, signal);
    const ts = timestampOf(answer);
    return shown(parent, { ts, title, conversation, team: word(fields(answer.message)?.team) });
  }
}

function shown(parent: string, { ts, title, team }: Root): ControlThread {
  const url = team === undefined ? undefined : `https://app.slack.com/client/${team}/${parent}/thread/${parent}-${ts}`;
  return { parent, id: `${parent}/${ts}`, title, ...(url !== undefined && { url }) };
}

function rootContent(title: string, conversation: string): Fields {
  const metadata = { event_type: THREAD, event_payload: { conversation, title } };
  return { text: `*${escaped(title).replaceAll('*', '∗')}*`, metadata, ...QUIET };
}

function timestampOf(answer: Fields): string {
  const ts = timestamp(answer.ts);
  if (ts === undefined) throw new Error('Slack did not say under which ts the message stands');
  return ts;
}

/** Slack signed the request that the address came with; this keeps a server that is asked to post elsewhere from doing it. */
function isOfSlack(url: string, { apiUrl }: SlackConnection): boolean {
  const { origin, protocol, hostname } = URL.parse(url) ?? {};
  if (apiUrl !== undefined && origin === new URL(apiUrl).origin) return true;
  return protocol === 'https:' && /^hooks\.slack(-gov)?\.com$/.test(hostname ?? '');
}
