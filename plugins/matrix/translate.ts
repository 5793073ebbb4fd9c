import { type Fields, fields, type ProviderEvent, word } from 'throughline/plugin';
import type { Cipher } from './cipher.js';
import { isRefusal } from './failure.js';
import { type Ask, pathOf } from './matrix.api.js';
import type { Members } from './members.js';
import { editedBy, isEncrypted, isRedacted, providerEvent, roleOf, type Surroundings, unreadable } from './room-events.js';
import { successorOf } from './upgrade.js';

/** The room that is read, and what reads it. */
export interface Reading {
  readonly ask: Ask;
  readonly user: string;
  readonly room: string;
  readonly roomId: string;
  /** The room that it has replaced, as it is configured. */
  readonly movedFrom: string | undefined;
  readonly members: Members;
  /** Null: the connection has no encryption. */
  readonly cipher: Cipher | null;
  /** Sessions of encryption whose key is not waited for. */
  readonly lost: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * What becomes of an event of a room.
 *
 *   events       the event, where a conversation is told of it, or none
 *   locked       its key is missing
 *   successor    with it, the room ends and goes on elsewhere
 */
export type Translated =
  | { readonly is: 'events'; readonly events: readonly ProviderEvent[] }
  | { readonly is: 'locked'; readonly event: string }
  | { readonly is: 'successor'; readonly events: readonly ProviderEvent[]; readonly successor: string };

const NOTHING: Translated = { is: 'events', events: [] };

export async function translate(raw: Fields, reading: Reading): Promise<Translated> {
  if (!isEncrypted(raw)) return ofClear(raw, reading);
  const id = word(raw.event_id);
  if (id === undefined || raw.sender === reading.user || isRedacted(raw)) return NOTHING;
  const clear = await reading.cipher?.decrypt(raw, reading.roomId);
  if (clear)
    return ofClear({ ...clear, event_id: id, sender: raw.sender, origin_server_ts: raw.origin_server_ts, unsigned: raw.unsigned }, reading);
  if (reading.cipher === null) return told(unreadable(raw, reading, 'encrypted'));
  if (reading.lost.has(sessionOf(raw))) return told(unreadable(raw, reading, 'undecryptable'));
  return { is: 'locked', event: id };
}

/** The session of encryption whose key reads the event. */
export function sessionOf(raw: Fields): string {
  return word(fields(raw.content)?.session_id) ?? String(raw.event_id);
}

async function ofClear(event: Fields, reading: Reading): Promise<Translated> {
  const { user, ask, signal, roomId } = reading;
  const role = roleOf(event, user);
  if (role === null) return NOTHING;
  if (role === 'tombstone') return ofTombstone(event, reading);
  const author =
    role === 'message' || role === 'edit' ? await reading.members.nameOf(ask, roomId, String(event.sender), signal) : undefined;
  const originalSender = role === 'edit' ? await senderOfOriginal(event, reading) : undefined;
  return told(providerEvent(role, event, { ...placeOf(reading), author, originalSender }));
}

async function ofTombstone(event: Fields, reading: Reading): Promise<Translated> {
  const successor = await successorOf(reading.ask, reading.roomId, reading.user, reading.signal);
  const payload = providerEvent('tombstone', event, placeOf(reading));
  if (successor === null) return told(payload);
  const linked = { ...payload, payload: { ...(payload.payload as Fields), successor } };
  return { is: 'successor', events: [linked], successor };
}

/** Homeservers relay edits by anybody; only the author's own counts. */
async function senderOfOriginal({ content }: Fields, { ask, roomId, signal }: Reading): Promise<string | undefined> {
  const original = editedBy(fields(content) ?? {}) ?? '';
  try {
    return word((await ask({ method: 'GET', path: pathOf('rooms', roomId, 'event', original), signal })).sender);
  } catch (error) {
    if (isRefusal(error, 'M_NOT_FOUND', 'M_FORBIDDEN')) return undefined;
    throw error;
  }
}

function placeOf({ room, roomId, movedFrom }: Reading): Surroundings {
  return { room, roomId, movedFrom };
}

function told(event: ProviderEvent): Translated {
  return { is: 'events', events: [event] };
}
