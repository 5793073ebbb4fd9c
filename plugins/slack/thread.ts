import { instantRevision, type Subject } from 'throughline/plugin';
import { type Fields, known, slackId, timestamp } from './json.js';
import { tenantOf } from './tenant.js';

const LONGEST_MESSAGE_KEY = 255;

/** Where a message stands: in a channel of the tenant, by itself or in a thread. All are texts, exactly as Slack sent them. */
export interface Place {
  readonly tenant: string;
  readonly channel: string;
  readonly ts: string;
  /** The message that the thread hangs on; its own `ts` for a message outside of threads. */
  readonly root: string;
}

/** The place of a message; nothing when a part of it is missing or no text. */
export function placeOf(message: Fields, channelId: unknown, body: Fields): Place | undefined {
  const [tenant, channel, ts] = [tenantOf(body), slackId(channelId), timestamp(message.ts)];
  const root = message.thread_ts === undefined || message.thread_ts === null ? ts : timestamp(message.thread_ts);
  return tenant && channel && ts && root ? { tenant, channel, ts, root } : undefined;
}

/** The one subject of a thread, whichever event tells of it. */
export function subjectOf({ tenant, channel, root }: Place): Subject {
  return { namespace: `slack:${tenant}`, key: `${tenant}/${channel}/${root}` };
}

/** One identity for the `message` and the `app_mention` that Slack sends about one message; none when it is longer than the host keeps. */
export function messageKeyOf({ tenant, channel, ts }: Place): { messageKey?: string } {
  const messageKey = `${tenant}/${channel}/${ts}`;
  return messageKey.length <= LONGEST_MESSAGE_KEY ? { messageKey } : {};
}

export interface AboutThread {
  readonly subject: Subject;
  readonly thread?: string;
  readonly url: string;
  readonly occurredAt?: string;
}

/** `occurredAt` is the instant of the event, as seconds in a text. */
export function aboutThread(place: Place, happened: string): AboutThread {
  const { tenant, channel, root } = place;
  const occurredAt = instantOf(happened);
  return {
    subject: subjectOf(place),
    ...known({ thread: channelThread(place) }),
    url: `https://app.slack.com/client/${tenant}/${channel}/thread/${channel}-${root}`,
    ...known({ occurredAt }),
  };
}

/** Slack's seconds in a text, as an instant. */
export function instantOf(seconds: string | undefined): string | undefined {
  return seconds === undefined ? undefined : (instantRevision(Math.round(Number(seconds) * 1000)) ?? undefined);
}

/** The thread by its id at our channel; a message outside of threads has none, for nobody could have bound it. */
function channelThread({ channel, ts, root }: Place): string | undefined {
  return ts === root ? undefined : `${channel}/${root}`;
}
