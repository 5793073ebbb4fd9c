import { type Fields, fields, list, word } from 'throughline/plugin';
import type { Ask } from './matrix.api.js';

/** Types of room events that are looked at; all others the homeserver keeps to itself. */
const TYPES = [
  'm.room.message',
  'm.room.encrypted',
  'm.room.redaction',
  'm.room.tombstone',
  'm.room.member',
  'm.room.encryption',
  'm.room.power_levels',
  'm.bridge',
  'uk.half-shot.bridge',
];

const PAGE = 100;
const NOTHING = { types: [] };

/** What came of a room since the last sync. */
export interface RoomNews {
  readonly events: readonly Fields[];
  /** State before the first of the events. */
  readonly state: readonly Fields[];
  /** True: there are events between the last sync and the first of these. */
  readonly isLimited: boolean;
}

export interface Synced {
  /** From where the next sync goes on. */
  readonly next: string;
  readonly rooms: ReadonlyMap<string, RoomNews>;
  /** Rooms that the account is not in any more, with what was last said in them. */
  readonly left: ReadonlyMap<string, readonly Fields[]>;
  /** The whole answer, for what encryption needs of it. */
  readonly answer: Fields;
}

/** What came since a token; null: only from where to begin. Waits up to `waitMs` for something to come. */
export async function sync(ask: Ask, since: string | null, rooms: readonly string[], waitMs: number, signal: AbortSignal): Promise<Synced> {
  const query = {
    filter: JSON.stringify({ presence: NOTHING, account_data: NOTHING, room: roomFilter(rooms, since === null ? 1 : PAGE) }),
    timeout: String(since === null ? 0 : waitMs),
    ...(since === null ? {} : { since }),
  };
  const answer = await ask({ method: 'GET', path: '/sync', query, signal, patienceMs: waitMs });
  const next = word(answer.next_batch);
  if (next === undefined) throw new Error('the homeserver answered a sync without `next_batch`');
  const { join, leave } = fields(answer.rooms) ?? {};
  return { next, rooms: newsById(join), left: new Map([...newsById(leave)].map(([id, { events }]) => [id, events])), answer };
}

/** One page of a room's history between two tokens, oldest first. */
export async function historyPage(
  ask: Ask,
  room: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<{ readonly events: readonly Fields[]; readonly end: string | null }> {
  const query = { dir: 'f', from, to, limit: String(PAGE), filter: JSON.stringify({ types: TYPES }) };
  const answer = await ask({ method: 'GET', path: `/rooms/${encodeURIComponent(room)}/messages`, query, signal });
  const [events, end] = [list(answer.chunk), word(answer.end)];
  return { events, end: end === undefined || end === from || end === to || events.length === 0 ? null : end };
}

function roomFilter(rooms: readonly string[], limit: number): Fields {
  return { rooms, account_data: NOTHING, ephemeral: NOTHING, timeline: { limit, types: TYPES }, state: { lazy_load_members: true } };
}

function newsById(rooms: unknown): Map<string, RoomNews> {
  return new Map(Object.entries(fields(rooms) ?? {}).map(([id, room]) => [id, newsOf(fields(room) ?? {})]));
}

function newsOf(room: Fields): RoomNews {
  const timeline = fields(room.timeline) ?? {};
  return { events: list(timeline.events), state: list(fields(room.state)?.events), isLimited: timeline.limited === true };
}
