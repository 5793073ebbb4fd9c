import { ConfigFault, type Fields, fields, whole, word } from 'throughline/plugin';

/**
 * Why a room is not read along with the others.
 *
 *   gap       more was said than a sync tells; its history is being read
 *   key       the key of a message is missing
 *   refused   the room is not as it has to be: not joined, or not bridged as configured
 *   failed    the homeserver refused, or could not be asked
 */
export type Why = 'gap' | 'key' | 'refused' | 'failed';

/** A room that was read up to a token only. Everything after it is read by its history, in its order. */
export interface Behind {
  readonly from: string;
  readonly why: Why;
  /** For people. */
  readonly detail: string;
  /** When it began, and when it is tried again; milliseconds. */
  readonly since: number;
  readonly next: number;
  readonly tries: number;
  /** How many events of the gap were taken already. */
  readonly taken: number;
  /** The message whose key is missing. */
  readonly event?: string;
}

export interface RoomProgress {
  /** Id of the room as it is configured. */
  readonly id: string;
  /** The room that it goes on in, where it was upgraded. */
  readonly successor?: string;
  readonly behind?: Behind;
  /** Sessions of encryption whose key did not come in time: nothing waits for them any more. */
  readonly lost?: readonly string[];
}

/** How far a connection was read. */
export interface Progress {
  readonly since: string;
  /** By the rooms' names. */
  readonly rooms: Readonly<Record<string, RoomProgress>>;
}

export function writeCursor(progress: Progress): string {
  return JSON.stringify({ version: 1, ...progress });
}

/** Throws `ConfigFault` for what no version of this plugin has written. */
export function readCursor(cursor: string | null): Progress | null {
  if (cursor === null) return null;
  const { version, since, rooms } = parsed(cursor);
  const token = word(since);
  if (version !== 1 || token === undefined)
    throw new ConfigFault('the stored cursor of this connection was written by a newer version of the Matrix plugin; use that one');
  const known = Object.entries(fields(rooms) ?? {}).flatMap(([name, value]): [string, RoomProgress][] => {
    const room = fields(value);
    const id = word(room?.id);
    return room && id ? [[name, readRoom(id, room)]] : [];
  });
  return { since: token, rooms: Object.fromEntries(known) };
}

function parsed(cursor: string): Fields {
  try {
    return fields(JSON.parse(cursor)) ?? {};
  } catch {
    return {};
  }
}

function readRoom(id: string, room: Fields): RoomProgress {
  const [successor, behind] = [word(room.successor), readBehind(fields(room.behind))];
  const lost = Array.isArray(room.lost) ? room.lost.filter((session) => typeof session === 'string') : [];
  return { id, ...(successor && { successor }), ...(behind && { behind }), ...(lost.length > 0 && { lost }) };
}

function readBehind(behind: Fields | undefined): Behind | undefined {
  const [from, why, event] = [word(behind?.from), word(behind?.why), word(behind?.event)];
  if (!behind || from === undefined || why === undefined) return undefined;
  const [since, next, tries, taken] = [behind.since, behind.next, behind.tries, behind.taken].map((number) => whole(number) ?? 0);
  return {
    from,
    why: why as Why,
    detail: word(behind.detail) ?? '',
    since: since ?? 0,
    next: next ?? 0,
    tries: tries ?? 0,
    taken: taken ?? 0,
    ...(event && { event }),
  };
}
