import type { Ask } from './discord.api.js';
import { type Fields, fields, list, snowflake } from './json.js';
import { markerOf, nonceOf } from './marker.js';
import { byAge } from './snowflake.js';

const PAGE = 100;
const MOST_PAGES = 10;

/** The newest message of ours with the marker of this key, among the last 1,000 of the channel and not older than the id `since`. */
export async function findOwn(ask: Ask, channel: string, self: string, key: string, since = '0'): Promise<Fields | null> {
  const [marker, nonce] = [markerOf(key), nonceOf(key)];
  let before: Readonly<Record<string, string>> = {};
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const path = `/channels/${channel}/messages` as const;
    const messages = list(await ask({ method: 'GET', path, query: { limit: String(PAGE), ...before } }));
    // Anybody could copy the characters; only we have our id.
    const own = messages.filter(({ author }) => fields(author)?.id === self);
    const found = own.find(({ content, nonce: its }) => its === nonce || (typeof content === 'string' && content.endsWith(marker)));
    if (found) return found;
    const oldest = snowflake(messages.at(-1)?.id);
    if (messages.length < PAGE || oldest === undefined || byAge(oldest, since) < 0) return null;
    before = { before: oldest };
  }
  return null;
}
