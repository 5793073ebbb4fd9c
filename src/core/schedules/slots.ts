import { Cron } from 'croner';

/** When something is to start: five fields, read in a zone. */
export interface Timing {
  readonly schedule: string;
  /** IANA name. */
  readonly timezone: string;
}

/** What becomes of slots that nobody was there for. */
export type CatchUp = 'skip' | 'one' | 'all';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A slot that is later than this was missed: nobody was there for it. */
const MISSED_MS = MINUTE_MS;
/** Slots that `all` makes up for, the newest. */
export const MOST_MISSED = 100;
/** How far back the newest slots are looked for: as long ago as it takes, and no longer. */
const LOOKS_BACK = [MINUTE_MS, 60 * MINUTE_MS, DAY_MS, 31 * DAY_MS, 366 * DAY_MS, Number.POSITIVE_INFINITY];

/** The first slot after an instant; null: there is none any more. Where a clock is put forward over it, it comes right after. */
export function nextSlot({ schedule, timezone }: Timing, after: number): number | null {
  return cronOf(schedule, timezone).nextRun(new Date(after))?.getTime() ?? null;
}

/** The slots from `from` until `now`, both included, that are to be started, in their order. */
export function dueSlots(timing: Timing, from: number, now: number, catchUp: CatchUp): number[] {
  const slots = newest(timing, from, now);
  const missed = slots.filter((slot) => now - slot > MISSED_MS);
  const timely = slots.filter((slot) => now - slot <= MISSED_MS);
  if (catchUp === 'all') return slots;
  return catchUp === 'one' && timely.length === 0 ? missed.slice(-1) : timely;
}

/** At the most `MOST_MISSED` of them. */
function newest(timing: Timing, from: number, now: number): number[] {
  let found: number[] = [];
  for (const back of LOOKS_BACK) {
    const start = Math.max(from, now - back);
    found = between(timing, start, now);
    if (start === from || found.length >= MOST_MISSED) break;
  }
  return found.slice(-MOST_MISSED);
}

function between(timing: Timing, from: number, now: number): number[] {
  const slots: number[] = [];
  // Slots are whole minutes; the one at `from` itself is after the second before it.
  for (let slot = nextSlot(timing, from - SECOND_MS); slot !== null && slot <= now; slot = nextSlot(timing, slot)) slots.push(slot);
  return slots;
}

const MOST_KNOWN = 5000;
const known = new Map<string, Cron>();

function cronOf(schedule: string, timezone: string): Cron {
  const key = `${timezone} ${schedule}`;
  const made = known.get(key) ?? new Cron(schedule, { mode: '5-part', paused: true, timezone });
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, made);
  return made;
}
