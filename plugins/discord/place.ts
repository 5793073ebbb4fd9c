import { instantRevision, type Subject } from 'throughline/plugin';
import { type Fields, known, snowflake } from './json.js';

/** Where something happened. A thread is a channel of its own. */
export interface Place {
  readonly guild: string;
  readonly channel: string;
}

/** Nothing outside of servers: direct messages belong to no guild. */
export function placeOf(guildId: unknown, channelId: unknown): Place | undefined {
  const [guild, channel] = [snowflake(guildId), snowflake(channelId)];
  return guild && channel ? { guild, channel } : undefined;
}

export function subjectOf({ guild, channel }: Place): Subject {
  return { namespace: `discord:${guild}`, key: channel };
}

export function urlOf({ guild, channel }: Place): string {
  return `https://discord.com/channels/${guild}/${channel}`;
}

/** The message itself, as the reactions and edits of the API need it. */
export function messageKeyOf({ channel }: Place, message: string): string {
  return `${channel}/${message}`;
}

export interface AboutPlace {
  readonly subject: Subject;
  readonly url: string;
  /** A channel that is no thread is bound to nothing, so that its id may stand here as well. */
  readonly thread: string;
  readonly occurredAt?: string;
}

export function aboutPlace(place: Place, happened: unknown): AboutPlace {
  const occurredAt = instantRevision(happened) ?? undefined;
  return { subject: subjectOf(place), url: urlOf(place), thread: place.channel, ...known({ occurredAt }) };
}

/** Whether a body says at all that it happened in a server. */
export function isDirect({ guild_id: guild }: Fields): boolean {
  return guild === undefined || guild === null;
}
