import type { Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';

/** One thing that happened to a conversation. */
export interface TimelineRow {
  readonly at: number;
  /** Orders what happened at one instant: decisions, notes, begun turns, completed deliveries, ended turns. */
  readonly rank: number;
  readonly major: number;
  readonly minor: number;
  readonly entry: 'decision' | 'note' | 'turn_started' | 'delivery_completed' | 'turn_ended';
  readonly actor: string | null;
  /** Disposition, kind of note, outcome, or state of the turn. */
  readonly what: string;
  readonly reason: string | null;
  readonly receipt: number | null;
  readonly sequence: number | null;
  readonly token: number | null;
  /** JSON of `DecisionDetail`, of decisions alone. */
  readonly detail: string | null;
}

export type TimelinePosition = readonly [at: number, rank: number, major: number, minor: number];

const NO_NUMBER = 'cast(null as bigint)';
const NO_TEXT = 'cast(null as text)';

// A note that an event was ignored says less than the decision about that event, which is here too.
const ENTRIES = `
  select k.decided_at as at, 0 as rank, k.receipt as major, cast(k.number as bigint) as minor, 'decision' as entry, k.decided_by as actor,
    k.disposition as what, k.reason as reason, k.receipt as receipt, d.sequence as sequence, ${NO_NUMBER} as token, k.detail as detail
  from decisions k left join deliveries d on d.receipt = k.receipt and d.conversation = ?
  where k.receipt in (select receipt from deliveries where conversation = ? union select receipt from notes where conversation = ? and receipt is not null)
  union all
  select noted_at, 1, id, 0, 'note', noted_by, kind, reason, receipt, sequence, ${NO_NUMBER}, ${NO_TEXT}
  from notes where conversation = ? and (kind <> 'ignored' or receipt is null)
  union all
  select started_at, 2, token, 0, 'turn_started', 'replica ' || cast(owner as text), 'active', ${NO_TEXT}, ${NO_NUMBER}, from_sequence, token, ${NO_TEXT}
  from turns where conversation = ?
  union all
  select completed_at, 3, sequence, 0, 'delivery_completed', ${NO_TEXT}, outcome, reason, receipt, sequence, ${NO_NUMBER}, ${NO_TEXT}
  from deliveries where conversation = ? and completed_at is not null
  union all
  select ended_at, 4, token, 0, 'turn_ended', 'replica ' || cast(owner as text), state, error, ${NO_NUMBER}, to_sequence, token, ${NO_TEXT}
  from turns where conversation = ? and ended_at is not null`;

const PLACES = ENTRIES.split('?').length - 1;

/** What was decided about every receipt that concerned the conversation, and what came of it, in the order of time. */
export async function listTimeline(
  tx: Tx,
  conversation: string,
  slice: Slice<TimelinePosition>,
): Promise<Found<TimelineRow, TimelinePosition>> {
  const where = new Where();
  if (slice.after) where.and('(at, rank, major, minor) > (?, ?, ?, ?)', ...slice.after);
  where.values.unshift(...Array<string>(PLACES).fill(conversation));
  const select = `select * from (${ENTRIES}) timeline`;
  return findSlice(tx, { select, where, order: 'at, rank, major, minor' }, slice, (row: TimelineRow) => [
    row.at,
    row.rank,
    row.major,
    row.minor,
  ]);
}
