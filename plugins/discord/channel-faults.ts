import { ChannelFault, type ChannelState, OutcomeUnknown } from 'throughline/plugin';
import { DiscordFailure } from './failure.js';

/** What a request was about: an unknown channel is a thread that is gone, or a parent that is. */
export type About = 'thread' | 'parent';

type Meaning = readonly [state: ChannelState, sentence: string, retryAfterMs?: number];

const NEEDED =
  'View Channels, Send Messages, Send Messages in Threads, Create Public Threads, Manage Threads, Read Message History, Add Reactions';

/** Discord's refusals, each as a state with what to do about it. */
const MEANINGS: Readonly<Record<number, Meaning>> = {
  10004: ['parent_gone', 'the server does not exist, or the bot was removed from it: invite the bot again'],
  10008: ['message_gone', 'the message was deleted'],
  10015: ['refused', 'the person has waited longer than the 15 minutes in which Discord takes an answer'],
  10062: ['refused', 'Discord does not know the interaction (any more): it has to be answered within 3 s'],
  20016: ['rate_limited', 'the channel is in slow mode: give the bot the permission Manage Messages', 5_000],
  20028: ['rate_limited', 'too much was written to the channel', 5_000],
  30046: ['rate_limited', 'messages older than an hour were edited too often', 60_000],
  40060: ['refused', 'the interaction was answered before'],
  50001: ['forbidden', 'the bot cannot see the channel: add its role to the channel, with View Channels'],
  50005: ['refused', 'the message is not of this bot, so that it cannot be edited'],
  50008: ['refused', 'nobody can write to a channel of this type: name a text channel as `control.parent`'],
  50013: ['forbidden', `the bot lacks a permission in the channel; it needs ${NEEDED}`],
  50024: ['refused', 'a channel of this type has no threads: name a text channel as `control.parent`'],
  50027: ['refused', 'the person has waited longer than the 15 minutes in which Discord takes an answer'],
  50083: ['thread_locked', 'the thread is archived, and could not be opened'],
  160005: ['thread_locked', 'the thread is locked: unlock it, or give the bot the permission Manage Threads'],
  160006: ['too_many_threads', 'the server has as many active threads as Discord allows: archive some that are done'],
};

const GONE: Readonly<Record<About, Meaning>> = {
  thread: ['thread_gone', 'the thread was deleted'],
  parent: ['parent_gone', 'there is no channel with the id that `control.parent` names, or the bot is not in its server'],
};

/** What the host is told. Throws nothing by itself. */
export function channelFault(error: unknown, about: About): Error {
  if (!(error instanceof DiscordFailure)) return error instanceof Error ? error : new Error(String(error));
  const { kind, message, details } = error;
  switch (kind) {
    case 'limited':
      return new ChannelFault('rate_limited', 'Discord’s rate limit is reached', details.retryAfterMs ?? null);
    case 'unreached':
      return new ChannelFault('unavailable', message);
    case 'unknown':
      return new OutcomeUnknown(message);
    case 'refused':
      return refusal(error, about);
  }
}

function refusal({ message, details: { code, status } }: DiscordFailure, about: About): ChannelFault {
  const meaning = code === 10003 ? GONE[about] : MEANINGS[code ?? 0];
  if (meaning !== undefined) {
    const [state, sentence, retryAfterMs = null] = meaning;
    return new ChannelFault(state, `${sentence} (Discord ${code})`, retryAfterMs);
  }
  if (status === 401) return new ChannelFault('forbidden', 'Discord does not know the token of the bot: set the present one as `token`');
  if (status === 403) return new ChannelFault('forbidden', `Discord forbids it: ${message} (${code ?? status})`);
  if (status === 404) return new ChannelFault(GONE[about][0], `${GONE[about][1]} (Discord ${code ?? status})`);
  return new ChannelFault('refused', `Discord refuses it: ${message} (${code ?? status})`);
}
