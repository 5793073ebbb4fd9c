import { type Fields, fields, list, whole, word } from 'throughline/plugin';
import type { Cipher } from './cipher.js';
import { keyOf } from './marker.js';
import { type Ask, pathOf } from './matrix.api.js';
import { editedBy } from './room-events.js';

const PAGE = 100;
const MOST_PAGES = 10;
const FILTER = JSON.stringify({ types: ['m.room.message', 'm.room.encrypted'] });

/** There is more than is looked through. */
export class TooMany extends Error {
  override readonly name = 'TooMany';
}

export interface Search {
  readonly ask: Ask;
  readonly cipher: Cipher | null;
  readonly room: string;
  readonly user: string;
  /** Nothing older is looked at; milliseconds. */
  readonly sinceMs: number;
  readonly signal: AbortSignal;
}

/** A room's messages from now back, decrypted where that is possible. */
export async function* newestFirst(
  { ask, cipher, room, signal }: Omit<Search, 'user' | 'sinceMs'>,
  pages = MOST_PAGES,
): AsyncGenerator<Fields> {
  let from: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const query = { dir: 'b', limit: String(PAGE), filter: FILTER, ...(from !== undefined && { from }) };
    const answer = await ask({ method: 'GET', path: pathOf('rooms', room, 'messages'), query, signal });
    for (const event of list(answer.chunk)) yield event.type === 'm.room.encrypted' ? await decrypted(event, room, cipher) : event;
    from = word(answer.end);
    if (from === undefined) return;
  }
  throw new TooMany(`more than ${pages * PAGE} messages were written to ${room}, too many to search`);
}

/**
 * Our newest message that `fits`; null: there is none. Throws where more was written than can be searched, for then nobody knows. What
 * cannot be decrypted is known by its transaction, which the homeserver shows to the device that sent it.
 */
export async function findOwn(search: Search, fits: (event: Fields, transaction: string | undefined) => boolean): Promise<Fields | null> {
  for await (const event of newestFirst(search)) {
    if ((whole(event.origin_server_ts) ?? 0) < search.sinceMs) return null;
    if (event.sender === search.user && fits(event, word(fields(event.unsigned)?.transaction_id))) return event;
  }
  return null;
}

/** An edit carries the key of the message that it changes, and is not that message. */
export async function findByKey(search: Search, key: string, transaction: string): Promise<Fields | null> {
  return findOwn(
    search,
    (event, its) => its === transaction || (keyOf(event) === key && editedBy(fields(event.content) ?? {}) === undefined),
  );
}

async function decrypted(event: Fields, room: string, cipher: Cipher | null): Promise<Fields> {
  const clear = await cipher?.decrypt(event, room);
  return clear
    ? { ...clear, event_id: event.event_id, sender: event.sender, origin_server_ts: event.origin_server_ts, unsigned: event.unsigned }
    : event;
}
