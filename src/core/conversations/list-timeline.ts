import type { Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';

/** One thing that happened to a conversation. */
export interface TimelineRow {
  readonly at: number;
  /** Orders what happened at one instant: decisions, notes, begun turns, completed deliveries, ended turns, jobs. */
  readonly rank: number;
  readonly major: number;
  readonly minor: number;
  readonly entry: 'decision' | 'note' | 'turn_started' | 'delivery_completed' | 'turn_ended' | 'cleanup';
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

/** One kind of entry: its place in time, the rest of its columns, and where it is found; each `:c` is the conversation. */
interface Source {
  readonly place: readonly [at: string, rank: number, major: string, minor: string];
  readonly columns: string;
  readonly from: string;
}

const DECISION = {
  place: ['k.decided_at', 0, 'k.receipt', 'k.number'],
  columns: (
    sequence: string,
  ) => `'decision' as entry, k.decided_by as actor, k.disposition as what, k.reason as reason, k.receipt as receipt,
    ${sequence} as sequence, ${NO_NUMBER} as token, k.detail as detail`,
} as const;

const SOURCES: readonly Source[] = [
  {
    place: DECISION.place,
    columns: DECISION.columns('d.sequence'),
    from: 'deliveries d join decisions k on k.receipt = d.receipt where d.conversation = :c',
  },
  {
    place: DECISION.place,
    columns: DECISION.columns(NO_NUMBER),
    from: `(select distinct receipt from notes where conversation = :c and receipt is not null) n join decisions k on k.receipt = n.receipt
      where not exists (select 1 from deliveries x where x.receipt = n.receipt and x.conversation = :c)`,
  },
  {
    place: ['noted_at', 1, 'id', '0'],
    columns: `'note', noted_by, kind, reason, receipt, sequence, ${NO_NUMBER}, ${NO_TEXT}`,
    // A note that an event was ignored says less than the decision about that event, which is here too.
    from: "notes where conversation = :c and (kind <> 'ignored' or receipt is null)",
  },
  {
    place: ['started_at', 2, 'token', '0'],
    columns: `'turn_started', 'replica ' || cast(owner as text), 'active', ${NO_TEXT}, ${NO_NUMBER}, from_sequence, token, ${NO_TEXT}`,
    from: 'turns where conversation = :c',
  },
  {
    place: ['completed_at', 3, 'sequence', '0'],
    columns: `'delivery_completed', ${NO_TEXT}, outcome, reason, receipt, sequence, ${NO_NUMBER}, ${NO_TEXT}`,
    from: 'deliveries where conversation = :c and completed_at is not null',
  },
  {
    place: ['ended_at', 4, 'token', '0'],
    columns: `'turn_ended', 'replica ' || cast(owner as text), state, error, ${NO_NUMBER}, to_sequence, token, ${NO_TEXT}`,
    from: 'turns where conversation = :c and ended_at is not null',
  },
  {
    place: ['ended_at', 5, 'id', '0'],
    columns: `'cleanup', ${NO_TEXT}, kind, coalesce(result, state), ${NO_NUMBER}, ${NO_NUMBER}, ${NO_NUMBER}, ${NO_TEXT}`,
    from: 'jobs where conversation = :c and ended_at is not null',
  },
];

/** What was decided about every receipt of the conversation, and what came of it, in the order of time. */
export async function listTimeline(
  tx: Tx,
  conversation: string,
  slice: Slice<TimelinePosition>,
): Promise<Found<TimelineRow, TimelinePosition>> {
  const where = new Where();
  const arms = SOURCES.map((source, i) => `select * from (${arm(source, conversation, slice, where)}) x${i}`);
  const select = `select * from (${arms.join(' union all ')}) timeline`;
  const position = (row: TimelineRow): TimelinePosition => [row.at, row.rank, row.major, row.minor];
  return findSlice(tx, { select, where, order: 'at, rank, major, minor' }, slice, position);
}

/** The first entries of one kind: no more of them than the whole slice has are needed. Its values go to `where`. */
function arm({ place, columns, from }: Source, conversation: string, { after, limit }: Slice<TimelinePosition>, where: Where): string {
  const [at, rank, major, minor] = place;
  where.values.push(...Array<string>(from.split(':c').length - 1).fill(conversation));
  if (after) where.values.push(...after);
  where.values.push(limit + 1);
  const rest = after ? ` and (${at}, ${rank}, ${major}, ${minor}) > (?, ?, ?, ?)` : '';
  const named = `select ${at} as at, ${rank} as rank, ${major} as major, cast(${minor} as bigint) as minor, ${columns}`;
  const order = minor === '0' ? `${at}, ${major}` : `${at}, ${major}, ${minor}`;
  return `${named} from ${from.replaceAll(':c', '?')}${rest} order by ${order} limit ?`;
}
