import { Logger } from '@nestjs/common';
import { type Connection, type Page, type PollTransport, ProviderFault } from 'throughline/plugin';
import { type Ciphers, NO_CIPHERS } from './cipher.js';
import type { Clients } from './clients.js';
import { type Progress, type RoomProgress, readCursor, writeCursor } from './cursor.js';
import { faultOfRead } from './failure.js';
import type { Ask } from './matrix.api.js';
import { keyDeadlineMs, type MatrixConnection } from './matrix.options.js';
import { ReadRooms } from './read-rooms.js';
import { sync } from './sync.js';
import { presentId, type RoomsOfConnection, Watched, waiting } from './watched.js';

/** How long the homeserver is to wait for something to say. */
const WAIT_MS = 25_000;

const log = new Logger('Matrix');

type At = Connection<MatrixConnection>;

/** The rooms of an account, read by long polls. Each room has its own progress, and none waits for another. */
export class MatrixPoll implements PollTransport<MatrixConnection> {
  readonly kind = 'poll';
  /** The waiting is done by the homeserver. */
  readonly intervalMs = 100;
  readonly timeoutMs = 120_000;
  private readonly watched = new Map<string, Watched>();

  constructor(
    private readonly clients: Clients,
    private readonly ciphers: Ciphers = NO_CIPHERS,
    private readonly now: () => number = Date.now,
  ) {}

  usedBy({ options }: At): boolean {
    return options.rooms.size > 0;
  }

  async poll(connection: At, cursor: string | null, signal: AbortSignal): Promise<Page> {
    const client = await this.clients.of(connection);
    try {
      return await this.read(connection, client.ask, readCursor(cursor), signal);
    } catch (error) {
      throw faultOfRead(error);
    }
  }

  private async read(connection: At, ask: Ask, before: Progress | null, signal: AbortSignal): Promise<Page> {
    const { options } = connection;
    const watched = this.watchedBy(connection);
    await watched.checkOwner(ask, options, signal);
    const cipher = await this.ciphers.of(connection, ask, signal);
    const rooms = roomsOf(options, before);
    const ids = [...rooms.values()].map(presentId);
    const synced = await sync(ask, before?.since ?? null, ids, this.waitFor(before), signal);
    if (before !== null && synced.next === before.since && synced.rooms.size > 0)
      throw new ProviderFault('the homeserver tells events and does not move on', 'transient');
    const haveKeysCome = (await cipher?.receive(ask, synced.answer, signal)) ?? false;
    const reading = { ask, user: options.user, members: watched.members, cipher, lost: new Set<string>(), signal };
    const stretch = { from: before?.since ?? synced.next, to: synced.next, nowMs: this.now(), deadlineMs: keyDeadlineMs(options) };
    const read = await new ReadRooms({ options, reading, stretch, watched, synced, haveKeysCome }).read(rooms, before);
    const progress = { since: synced.next, rooms: read.rooms };
    for (const line of watched.news(read.rooms)) log.warn(`${connection.name}: ${line}`);
    const [more, notice] = [Object.values(read.rooms).some(({ behind }) => behind?.why === 'gap'), waiting(read.rooms).join('; ')];
    return { events: read.events, cursor: writeCursor(progress), more, ...(notice && { notice }) };
  }

  /** Until the next room is to be tried again. */
  private waitFor(before: Progress | null): number {
    const next = Object.values(before?.rooms ?? {}).flatMap(({ behind }) => (behind ? [behind.next] : []));
    return Math.max(0, Math.min(WAIT_MS, ...next.map((at) => at - this.now())));
  }

  private watchedBy({ org, name }: At): Watched {
    const key = `${org}/${name}`;
    const watched = this.watched.get(key) ?? new Watched();
    this.watched.set(key, watched);
    return watched;
  }
}

/** The configured rooms with how far they were read. One whose id was changed in the configuration begins anew. */
function roomsOf({ rooms }: MatrixConnection, before: Progress | null): RoomsOfConnection {
  return new Map(
    [...rooms].map(([name, { id }]): [string, RoomProgress] => {
      const stored = before?.rooms[name];
      return [name, stored?.id === id ? stored : { id }];
    }),
  );
}
