import type { Backfill, Connection, EventSink } from 'throughline/plugin';
import type { Clients } from './clients.js';
import type { Ask } from './discord.api.js';
import type { DiscordConnection } from './discord.options.js';
import { DiscordFailure } from './failure.js';
import { messageEvent } from './gateway-events.js';
import { faultOfFailure } from './gateway-faults.js';
import { type Fields, fields, list, snowflake, word } from './json.js';
import { byAge, snowflakeAt } from './snowflake.js';

/** The clocks of Discord and of the database need not agree; what comes twice is taken once. */
const CLOCKS_APART_MS = 60_000;

const PAGE = 100;

/** As many as the host takes. */
const MOST_MESSAGES = 10_000;

/** Of one channel. */
const MOST_THREADS = 1_000;

/** Kinds of channels that have public threads: text, announcements, forums, media. */
const HAS_THREADS: ReadonlySet<unknown> = new Set([0, 5, 15, 16]);

/**
 * Asks every channel and public thread that has said something since for its messages, also a thread that was archived meanwhile. Edits,
 * deletions and interactions have no history.
 */
export class DiscordBackfill implements Backfill<DiscordConnection> {
  constructor(private readonly clients: Clients) {}

  async since(connection: Connection<DiscordConnection>, mark: Date, sink: EventSink, signal: AbortSignal): Promise<void> {
    if (connection.options.token === undefined) return;
    const { ask } = await this.clients.of(connection);
    try {
      for (const message of await missed((call) => ask({ ...call, signal }), mark.getTime() - CLOCKS_APART_MS)) {
        const event = messageEvent(message);
        if (event) await sink.accept(event);
      }
    } catch (error) {
      throw error instanceof DiscordFailure ? faultOfFailure(error) : error;
    }
  }
}

async function missed(ask: Ask, sinceMs: number): Promise<Fields[]> {
  const after = snowflakeAt(sinceMs);
  const messages: Fields[] = [];
  for (const guild of await guildsOf(ask)) {
    for (const channel of await spokenSince(ask, guild, sinceMs)) {
      for (const message of await messagesAfter(ask, channel, after)) messages.push({ ...message, guild_id: guild });
    }
  }
  // One queue may be fed from several channels, and the host takes only so many.
  return messages.sort((a, b) => byAge(String(a.id), String(b.id))).slice(0, MOST_MESSAGES);
}

async function guildsOf(ask: Ask): Promise<string[]> {
  return idsOf(list(await ask({ method: 'GET', path: '/users/@me/guilds' })));
}

/** The ids of its last messages tell which of a thousand threads have to be asked. */
async function spokenSince(ask: Ask, guild: string, sinceMs: number): Promise<string[]> {
  const channels = list(await ask({ method: 'GET', path: `/guilds/${guild}/channels` }));
  const active = (await ask({ method: 'GET', path: `/guilds/${guild}/threads/active` })) as { threads?: unknown };
  const threads = list(active.threads);
  for (const id of idsOf(channels.filter(({ type }) => HAS_THREADS.has(type)))) threads.push(...(await archivedSince(ask, id, sinceMs)));
  const after = snowflakeAt(sinceMs);
  // One that was opened or archived in between is in both lists.
  return [...new Set(idsOf([...channels, ...threads].filter(({ last_message_id: last }) => isAfter(last, after))))];
}

/** The public threads of a channel that were archived since; Discord lists them by that time, the newest first. */
async function archivedSince(ask: Ask, channel: string, sinceMs: number): Promise<Fields[]> {
  const threads: Fields[] = [];
  for (let before: string | undefined; threads.length < MOST_THREADS; ) {
    const query = { limit: String(PAGE), ...(before !== undefined && { before }) };
    const page = fields(await orNothing(ask({ method: 'GET', path: `/channels/${channel}/threads/archived/public`, query })));
    const found = list(page?.threads);
    const recent = found.filter((thread) => (archivedAt(thread) ?? 0) > sinceMs);
    threads.push(...recent);
    const last = word(fields(recent.at(-1)?.thread_metadata)?.archive_timestamp);
    if (recent.length < found.length || page?.has_more !== true || last === undefined) break;
    before = last;
  }
  return threads;
}

function archivedAt({ thread_metadata: metadata }: Fields): number | null {
  const at = Date.parse(word(fields(metadata)?.archive_timestamp) ?? '');
  return Number.isNaN(at) ? null : at;
}

async function messagesAfter(ask: Ask, channel: string, after: string): Promise<Fields[]> {
  const messages: Fields[] = [];
  for (let last = after; messages.length < MOST_MESSAGES; ) {
    const page = await pageAfter(ask, channel, last);
    messages.push(...page);
    const newest = idsOf(page).sort(byAge).at(-1);
    if (page.length < PAGE || newest === undefined) break;
    last = newest;
  }
  return messages;
}

async function pageAfter(ask: Ask, channel: string, after: string): Promise<Fields[]> {
  return list(await orNothing(ask({ method: 'GET', path: `/channels/${channel}/messages`, query: { after, limit: String(PAGE) } })));
}

/** A channel that the bot may not read, or that was deleted meanwhile, has nothing for it. */
async function orNothing(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DiscordFailure && (error.details.status === 403 || error.details.status === 404)) return null;
    throw error;
  }
}

function idsOf(things: readonly Fields[]): string[] {
  return things.map(({ id }) => snowflake(id)).filter((id) => id !== undefined);
}

function isAfter(id: unknown, after: string): boolean {
  const known = snowflake(id);
  return known !== undefined && byAge(known, after) > 0;
}
