import type { ProviderEvent } from 'throughline/plugin';
import type { Behind, Progress, RoomProgress } from './cursor.js';
import type { MatrixConnection } from './matrix.options.js';
import { changesRoom, checkRoom } from './room-check.js';
import { providerEvent, roleOf } from './room-events.js';
import { type Check, type RoomRead, RoomReader, type Stretch } from './room-reader.js';
import type { RoomNews, Synced } from './sync.js';
import type { Reading } from './translate.js';
import { presentId, type RoomsOfConnection, type Watched } from './watched.js';

/** A page takes 1,000 events: so many from the sync itself, and the pages of so many rooms that are behind. */
const MOST_LIVE = 600;
const MOST_BEHIND = 4;

export interface Round {
  readonly options: MatrixConnection;
  readonly reading: Omit<Reading, 'room' | 'roomId' | 'movedFrom'>;
  readonly stretch: Stretch;
  readonly watched: Watched;
  readonly synced: Synced;
  readonly haveKeysCome: boolean;
}

/** Reads all rooms of a connection once: first what came, then something of what they are behind with. */
export class ReadRooms {
  private readonly events: ProviderEvent[] = [];
  private readonly rooms: Record<string, RoomProgress> = {};

  constructor(private readonly round: Round) {}

  async read(rooms: RoomsOfConnection, before: Progress | null): Promise<{ events: readonly ProviderEvent[]; rooms: Progress['rooms'] }> {
    for (const [name, progress] of rooms) {
      this.rooms[name] = progress;
      this.noteLeaving(name, progress);
      if (progress.behind === undefined) await this.readLive(name, progress, before?.rooms[name] === progress);
    }
    const due = Object.entries(this.rooms).flatMap(([name, { behind }]) => (behind && this.isDue(behind) ? [{ name, behind }] : []));
    due.sort((a, b) => a.behind.next - b.behind.next || a.behind.since - b.behind.since);
    const read = due.slice(0, MOST_BEHIND).map(async ({ name, behind }) => this.keep(name, await this.reader(name).history(behind)));
    await Promise.all(read);
    return { events: this.events, rooms: this.rooms };
  }

  /** Nothing of a room enters that was said before it was first read. */
  private async readLive(name: string, progress: RoomProgress, isKnown: boolean): Promise<void> {
    const news = isKnown ? this.newsOf(progress) : undefined;
    const isTooMuch = (news?.events.length ?? 0) + this.events.length > MOST_LIVE;
    const reader = this.reader(name, isKnown ? this.round.stretch.from : this.round.stretch.to);
    this.keep(name, await reader.live(news && isTooMuch ? { ...news, isLimited: true } : news));
  }

  private keep(name: string, { events, progress }: RoomRead): void {
    this.events.push(...events);
    this.rooms[name] = progress;
  }

  private isDue({ why, next }: Behind): boolean {
    return next <= this.round.stretch.nowMs || (why === 'key' && this.round.haveKeysCome);
  }

  private reader(name: string, from = this.round.stretch.from): RoomReader {
    const progress = this.rooms[name] as RoomProgress;
    const roomId = presentId(progress);
    const { members } = this.round.reading;
    const news = this.newsOf(progress);
    members.take(roomId, [...(news?.state ?? []), ...(news?.events ?? [])]);
    const stretch = { ...this.round.stretch, from };
    const movedFrom = progress.successor === undefined ? undefined : progress.id;
    return new RoomReader({ ...this.round.reading, room: name, roomId, movedFrom }, progress, stretch, this.checkOf(name, roomId, news));
  }

  private checkOf(name: string, id: string, news: RoomNews | undefined): Check {
    const { options, watched, synced, reading } = this.round;
    const room = options.rooms.get(name);
    const hasChanged = [...(news?.state ?? []), ...(news?.events ?? [])].some((event) => changesRoom(event, options.user));
    const key = `${name} ${id}`;
    if (hasChanged || synced.left.has(id)) watched.checked.delete(key);
    if (room === undefined || watched.checked.has(key)) return null;
    return async () => {
      const { tombstone } = await checkRoom(reading.ask, id, options.user, room, reading.signal);
      watched.checked.add(key);
      return tombstone;
    };
  }

  private noteLeaving(room: string, progress: RoomProgress): void {
    const roomId = presentId(progress);
    const leaving = this.round.synced.left.get(roomId)?.find((event) => roleOf(event, this.round.options.user) === 'own_leave');
    if (leaving !== undefined) this.events.push(providerEvent('own_leave', leaving, { room, roomId }));
  }

  private newsOf(progress: RoomProgress): RoomNews | undefined {
    return this.round.synced.rooms.get(presentId(progress));
  }
}
