import type { Channel } from './installation.js';
import { type Fields, fields, timestamp } from './json.js';
import { type Ask, pages } from './slack.reading.js';

/** Something that happened in a channel: a message, or an edit of one that was there before. */
export interface Happening {
  readonly kind: 'message' | 'edit';
  /** Instant as Slack writes it, by which what happened is ordered. */
  readonly at: string;
  readonly message: Fields;
}

/** Threads whose first message is older than this are not looked for: Slack tells of new replies at their first message alone. */
const OLDEST_THREAD_S = 14 * 24 * 3600;

/** A channel in which more was said is read from its end: the host takes no more. */
const MOST_MESSAGES = 20_000;

/** What happened in a channel after an instant, oldest first. */
export async function happeningsIn(ask: Ask, { id }: Channel, after: string): Promise<Happening[]> {
  const found = new Map<string, Happening>();
  const threads: string[] = [];
  let count = 0;
  for await (const message of pages(ask, 'conversations.history', { channel: id, oldest: earlier(after) }, 'messages')) {
    note(found, message, after);
    const [ts, lastReply] = [timestamp(message.ts), timestamp(message.latest_reply)];
    if (ts !== undefined && lastReply !== undefined && isAfter(lastReply, after)) threads.push(ts);
    if (++count >= MOST_MESSAGES) break;
  }
  for (const ts of threads) {
    const about = { channel: id, ts, oldest: after };
    // The first message of the thread is told with every page.
    for await (const message of pages(ask, 'conversations.replies', about, 'messages')) note(found, message, after);
  }
  return [...found.values()].sort((a, b) => (isAfter(a.at, b.at) ? 1 : -1));
}

/** Seconds with six digits behind the point: as texts of one length they order as they follow each other. */
export function instantAt(ms: number): string {
  return `${Math.floor(ms / 1000)}.${String(Math.floor(ms) % 1000).padStart(3, '0')}000`;
}

export function isAfter(instant: string, other: string): boolean {
  return instant > other;
}

function earlier(instant: string): string {
  return instantAt(Math.max(0, Number.parseInt(instant, 10) - OLDEST_THREAD_S) * 1000);
}

function note(found: Map<string, Happening>, message: Fields, after: string): void {
  const [ts, edited] = [timestamp(message.ts), timestamp(fields(message.edited)?.ts)];
  if (ts === undefined) return;
  if (isAfter(ts, after)) found.set(ts, { kind: 'message', at: ts, message });
  else if (edited !== undefined && isAfter(edited, after)) found.set(ts, { kind: 'edit', at: edited, message });
}
