import { type Fields, fields, word } from 'throughline/plugin';
import { isRefusal } from './failure.js';
import { type Ask, pathOf } from './matrix.api.js';

const MOST_UPGRADES = 10;

/**
 * The room that replaces another one, where both say so: the old one by its tombstone, the new one by its predecessor. Null: it was not
 * replaced. What cannot be believed is as if it had not been said. Joins the new room where the account is not in it yet.
 */
export async function successorOf(ask: Ask, room: string, user: string, signal: AbortSignal): Promise<string | null> {
  const tombstone = await stateOf(ask, room, 'm.room.tombstone', '', signal);
  const replacement = word(tombstone?.replacement_room);
  if (replacement === undefined) return null;
  const member = await stateOf(ask, replacement, 'm.room.member', user, signal);
  if (member?.membership !== 'join') {
    // Whoever made the room is known in it, so the homeserver of that user knows where it is.
    const via = word(replacement.split(':').slice(1).join(':')) ?? user.split(':').slice(1).join(':');
    const path = `/join/${encodeURIComponent(replacement)}` as const;
    await ask({ method: 'POST', path, query: { server_name: via, via }, body: {}, signal });
  }
  const created = await stateOf(ask, replacement, 'm.room.create', '', signal);
  return word(fields(created?.predecessor)?.room_id) === room ? replacement : null;
}

/** Follows the links from a room to the one that it goes on in today. */
export async function presentRoom(ask: Ask, room: string, user: string, signal: AbortSignal): Promise<string> {
  let present = room;
  for (let step = 0; step < MOST_UPGRADES; step += 1) {
    const next = await successorOf(ask, present, user, signal);
    if (next === null) return present;
    present = next;
  }
  throw new Error(`the room ${room} was replaced more than ${MOST_UPGRADES} times`);
}

/** The content of a state event; null: there is none, or it is not ours to see. */
async function stateOf(ask: Ask, room: string, type: string, key: string, signal: AbortSignal): Promise<Fields | null> {
  try {
    return await ask({ method: 'GET', path: pathOf('rooms', room, 'state', type, key), signal });
  } catch (error) {
    if (isRefusal(error, 'M_NOT_FOUND', 'M_FORBIDDEN')) return null;
    throw error;
  }
}
