import { IsString, Length } from 'class-validator';
import {
  ChannelFault,
  type EffectReader,
  type Evidence,
  InvalidInput,
  type OutboundTool,
  ProviderFault,
  type Subject,
} from 'throughline/plugin';
import { slackId, timestamp } from './json.js';
import { messageOf } from './post.js';
import { callSlack } from './slack.client.js';
import type { SlackConnection } from './slack.options.js';
import { findPost, type ThreadId } from './slack.threads.js';

/** Slack recommends no longer messages. */
const LONGEST_TEXT = 4_000;
const PATIENCE_MS = 30_000;
/** Slack answers within seconds; clocks differ. */
const SETTLED_MS = 5 * 60_000;

export class ReplyInput {
  @IsString()
  @Length(1, LONGEST_TEXT, { message: `text must be Markdown of 1 to ${LONGEST_TEXT} characters` })
  readonly text!: string;
}

/** A message in the thread that the conversation is about; its metadata holds the host's key. */
export const reply: OutboundTool<SlackConnection, ReplyInput> = {
  ...{ name: 'slack_reply', input: ReplyInput, isMarked: true },
  description: 'Writes a message in the Slack thread that this conversation is about. `text` is Markdown; mentions in it notify nobody.',
  scope: (_, { subject }) => ({ account: threadOf(subject).tenant, kind: 'Message', action: 'create', subject }),
  execute: async ({ text }, { connection, subject }, key) => {
    if (connection.options.token === undefined)
      throw new ProviderFault(`connections.${connection.name} has no \`token\`, so nothing can be written`, 'unauthorized');
    const { channel, ts } = threadOf(subject);
    try {
      const values = { channel, thread_ts: ts, ...messageOf({ text, key }, LONGEST_TEXT) };
      const answer = await callSlack('write', 'chat.postMessage', values, connection, AbortSignal.timeout(PATIENCE_MS));
      return evidenceOf(channel, timestamp(answer.ts));
    } catch (error) {
      throw error instanceof ChannelFault ? refusal(error) : error;
    }
  },
};

/** Finds a message whose answer got lost by the key in its metadata. */
export const slackEffects: EffectReader<SlackConnection> = {
  async find({ connection, scope, tool, marker, attemptedAt }, signal): Promise<Evidence | 'absent' | 'unknown'> {
    if (tool !== reply.name || marker === null || scope.subject === null) return 'unknown';
    const thread = threadOf(scope.subject);
    const found = await findPost(thread, marker, connection, signal);
    if (found !== null) return evidenceOf(thread.channel, found);
    return Date.now() - Date.parse(attemptedAt) > SETTLED_MS ? 'absent' : 'unknown';
  },
};

function threadOf({ namespace, key }: Subject): ThreadId & { readonly tenant: string } {
  const [first, second, third, ...more] = key.split('/');
  const [tenant, channel, ts] = [slackId(first), slackId(second), timestamp(third)];
  if (!namespace.startsWith('slack:') || !tenant || !channel || !ts || more.length > 0)
    throw new InvalidInput('this conversation is about no thread of Slack');
  return { tenant, channel, ts };
}

function evidenceOf(channel: string, message: string | undefined): Evidence {
  if (message === undefined) throw new Error('Slack did not say under which ts the message stands');
  return { ids: { channel, message } };
}

function refusal(error: ChannelFault): ProviderFault {
  const isPassing = error.state === 'rate_limited' || error.state === 'unavailable';
  const kind = isPassing ? 'transient' : error.state === 'forbidden' ? 'unauthorized' : 'permanent';
  return new ProviderFault(error.message, kind, error.retryAfterMs, { cause: error });
}
