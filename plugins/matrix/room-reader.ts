import { type Fields, type ProviderEvent, whole } from 'throughline/plugin';
import type { Behind, RoomProgress, Why } from './cursor.js';
import { isRefusal, MatrixFailure } from './failure.js';
import { pathOf } from './matrix.api.js';
import { RoomRefused } from './room-check.js';
import { cutHistory, isRedacted } from './room-events.js';
import { historyPage, type RoomNews } from './sync.js';
import { type Reading, sessionOf, translate } from './translate.js';

/** After a gap so many events are read, none older than this. */
export const MOST_AFTER_GAP = 1_000;
const OLDEST_MS = 7 * 24 * 3_600_000;
const MOST_LOST = 100;
const KEY_PAUSE_MS = 10_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/** What a look at a room came to. */
export interface RoomRead {
  readonly events: readonly ProviderEvent[];
  readonly progress: RoomProgress;
}

/** The stretch of a sync that a room is read in: the tokens of the sync before, and of this one. */
export interface Stretch {
  readonly from: string;
  readonly to: string;
  readonly nowMs: number;
  /** How long the key of a message is waited for. */
  readonly deadlineMs: number;
}

/** Looks whether the room is as it has to be; resolves to its tombstone, if it has one. Null: nothing has changed since the last look. */
export type Check = (() => Promise<Fields | null>) | null;

/** Reads one room. What is the matter with it is in its progress; nothing is thrown, so that no room stops another. */
export class RoomReader {
  private readonly events: ProviderEvent[] = [];

  constructor(
    private readonly reading: Reading,
    private progress: RoomProgress,
    private readonly stretch: Stretch,
    private readonly check: Check,
  ) {}

  /** What a sync says of a room that was read up to the sync before. */
  async live(news: RoomNews | undefined): Promise<RoomRead> {
    const { from } = this.stretch;
    return this.isolated(async () => {
      const tombstone = (await this.check?.()) ?? null;
      if (news?.isLimited) return this.wait('gap', from, 'more was said than a sync tells');
      for (const event of news?.events ?? []) if (!(await this.take(event, from))) return;
      if (tombstone !== null) await this.take(tombstone, from);
    });
  }

  /** A page of the history of a room that is behind. */
  async history(behind: Behind): Promise<RoomRead> {
    return this.isolated(async () => {
      const tombstone = (await this.check?.()) ?? null;
      if (behind.event !== undefined && (await this.isStillLocked(behind, behind.event))) return;
      const page = await historyPage(this.reading.ask, this.reading.roomId, behind.from, this.stretch.to, this.reading.signal);
      for (const event of page.events) {
        if (behind.taken + this.events.length >= MOST_AFTER_GAP) return this.cut(behind);
        if (!this.isTooOld(event) && !(await this.take(event, behind.from))) return;
      }
      if (page.end !== null) return this.wait('gap', page.end, 'its history is being read');
      this.caughtUp();
      if (tombstone !== null) await this.take(tombstone, this.stretch.from);
    });
  }

  private async isolated(work: () => Promise<void>): Promise<RoomRead> {
    await work().catch((error: unknown) => this.fail(error));
    return { events: this.events, progress: this.progress };
  }

  /** False: the room waits at this event, or goes on elsewhere. `from`: token before it. */
  private async take(event: Fields, from: string): Promise<boolean> {
    const translated = await translate(event, { ...this.reading, lost: new Set(this.progress.lost) });
    if (translated.is === 'locked') {
      this.lockAt(translated.event, from);
      return false;
    }
    this.events.push(...translated.events);
    if (translated.is === 'events') return true;
    const { id } = this.progress;
    this.progress = { id, successor: translated.successor };
    // What was said there before this server came along.
    this.wait('gap', from, 'the room was upgraded');
    return false;
  }

  private lockAt(event: string, from: string): void {
    const { behind } = this.progress;
    const { nowMs } = this.stretch;
    const since = behind?.event === event ? behind.since : nowMs;
    this.wait('key', from, `the key of ${event} is missing`, { event, since, next: nowMs + KEY_PAUSE_MS });
  }

  /** A message whose key did not come in time is let go, with all others of its session. */
  private async isStillLocked(behind: Behind, event: string): Promise<boolean> {
    const { ask, roomId, cipher, signal } = this.reading;
    const raw = await ask({ method: 'GET', path: pathOf('rooms', roomId, 'event', event), signal }).catch((error: unknown) => {
      if (isRefusal(error, 'M_NOT_FOUND')) return null;
      throw error;
    });
    if (raw === null || cipher === null || isRedacted(raw) || (await cipher.decrypt(raw, roomId)) !== null) return false;
    if (this.stretch.nowMs < behind.since + this.stretch.deadlineMs) {
      this.lockAt(event, behind.from);
      return true;
    }
    this.progress = { ...this.progress, lost: [...(this.progress.lost ?? []), sessionOf(raw)].slice(-MOST_LOST) };
    return false;
  }

  private isTooOld(event: Fields): boolean {
    const { nowMs } = this.stretch;
    return (whole(event.origin_server_ts) ?? nowMs) < nowMs - OLDEST_MS;
  }

  private cut({ from }: Behind): void {
    this.events.push(cutHistory(this.reading, from, `more than ${MOST_AFTER_GAP} events`));
    this.caughtUp();
  }

  private caughtUp(): void {
    const { behind: _, ...rest } = this.progress;
    this.progress = rest;
  }

  private wait(why: Why, from: string, detail: string, change: Partial<Behind> = {}): void {
    const taken = (this.progress.behind?.taken ?? 0) + this.events.length;
    const behind = { from, why, detail: detail.slice(0, 300), since: this.stretch.nowMs, next: 0, tries: 0, taken, ...change };
    this.progress = { ...this.progress, behind };
  }

  private fail(error: unknown): void {
    const { behind } = this.progress;
    const { nowMs, from } = this.stretch;
    const tries = (behind?.tries ?? 0) + 1;
    const asked = error instanceof MatrixFailure ? (error.details.retryAfterMs ?? 0) : 0;
    const next = nowMs + Math.max(asked, Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS));
    const why = error instanceof RoomRefused ? 'refused' : 'failed';
    const detail = error instanceof Error ? error.message : String(error);
    const [since, event] = [behind?.since ?? nowMs, behind?.event];
    // What was taken after that token comes again, and is known by its ids.
    this.wait(why, behind?.from ?? from, detail, { tries, next, since, ...(event !== undefined && { event }) });
  }
}
