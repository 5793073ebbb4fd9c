/** A moment in the life of a server process at which it can be killed. */
export type Moment =
  | 'before statement'
  | 'after statement'
  | 'before commit'
  /** The commit is on its way to the database, its answer is not awaited. SQLite answers at once. */
  | 'during commit'
  | 'after commit'
  | 'before answer'
  | 'after answer'
  /** An agent runs; nobody but this process knows. */
  | 'after spawn'
  /** The agent has its messages. */
  | 'after input';

export interface Point {
  readonly name: string;
  readonly moment: Moment;
  /** Which statement; of a commit: each of these is among those of its transaction; of an answer: its address. */
  readonly sees: readonly RegExp[];
  /** Often: many times a second while there is work, and not only the first times are interesting. */
  readonly reached: 'often' | 'seldom' | 'at the first start';
}

const RECEIPTS = /^insert into receipts\b/;
const DELIVERIES = /^insert into deliveries\b/;
const READY = /from queues where ready_at <= /;
const CLAIMED = /^insert into queues\b/;
const LIFE = /^update conversations set state\b/;
const CHECKPOINT = /^insert into turns\b.*\bprocess_id\b/;
const TURN_END = /^insert into turns\b.*\bended_at\b/;
const TRANSCRIPT = /^insert into transcripts\b/;
const ENDED_FROM_OUTSIDE = /^update turns set state\b/;
const EVENTS = /^\/v1\/events\//;

const often = (name: string, moment: Moment, ...sees: RegExp[]): Point => ({ name, moment, sees, reached: 'often' });
const seldom = (name: string, moment: Moment, ...sees: RegExp[]): Point => ({ name, moment, sees, reached: 'seldom' });

/** The named points, in the order in which an event passes them. */
export const POINTS: readonly Point[] = [
  {
    name: 'start: the schema is being written',
    moment: 'before statement',
    sees: [/^insert into .?schema_migrations\b/],
    reached: 'at the first start',
  },
  seldom('start: enlisted', 'after commit', /^insert into replicas\b/),
  often('accept: nothing is written', 'before statement', RECEIPTS),
  often('accept: receipts, no decisions', 'after statement', RECEIPTS),
  seldom('accept: conversations, no deliveries', 'after statement', /^insert into conversations\b/),
  often('accept: queues, no deliveries', 'before statement', DELIVERIES),
  often('accept: all written, no commit', 'before commit', RECEIPTS, DELIVERIES),
  often('accept: the commit is on its way', 'during commit', RECEIPTS, DELIVERIES),
  often('accept: committed, nobody woken', 'after commit', RECEIPTS, DELIVERIES),
  often('answer: committed, not answered', 'before answer', EVENTS),
  often('answer: just answered', 'after answer', EVENTS),
  seldom('close: state written, deliveries open', 'after statement', LIFE),
  seldom('close: all written, no commit', 'before commit', LIFE),
  seldom('close: committed, its turn still runs', 'after commit', LIFE),
  often('claim: looked, not taken', 'after statement', READY),
  often('claim: taken, no commit', 'before commit', READY, CLAIMED),
  often('claim: the commit is on its way', 'during commit', READY, CLAIMED),
  often('claim: committed, no agent', 'after commit', READY, CLAIMED),
  often('turn: agent started, unknown', 'after spawn'),
  often('turn: agent known, no commit', 'before commit', CHECKPOINT),
  often('turn: agent known, not told', 'after commit', CHECKPOINT),
  often('turn: agent told', 'after input'),
  often('turn: transcript, no commit', 'before commit', TRANSCRIPT),
  often('turn: session stored', 'after commit', /^update conversations set session\b/),
  often('end: deliveries done, turn not', 'before statement', TURN_END),
  often('end: all written, no commit', 'before commit', TURN_END),
  often('end: the commit is on its way', 'during commit', TURN_END),
  often('end: committed, nobody woken', 'after commit', TURN_END),
  seldom('cleanup: a job taken, no commit', 'before commit', /^update jobs set state = 'running'/),
  seldom('cleanup: done, not noted', 'before statement', /^update jobs set state = 'done'/),
  seldom('cleanup: noted, no commit', 'before commit', /^update jobs set state = 'done'/),
  seldom('lease: renewed', 'after commit', /^update replicas set lease_until = .+\+/),
  seldom('recovery: the dead condemned', 'after commit', /^update replicas set lease_until = 0\b/),
  seldom('recovery: a claim taken back, no commit', 'before commit', ENDED_FROM_OUTSIDE, CLAIMED),
  seldom('recovery: a claim taken back', 'after commit', ENDED_FROM_OUTSIDE, CLAIMED),
  seldom('recovery: the dead not yet buried', 'before statement', /^delete from replicas where id in\b/),
  seldom(
    'reset: deliveries completed, no commit',
    'before commit',
    /^update deliveries set state = 'completed'/,
    /^insert into notes\b/,
    /^update conversations set/,
  ),
  seldom('operator: done, no commit', 'before commit', /^insert into notes\b/, CLAIMED),
  seldom('operator: done, not answered', 'before answer', /^\/v1\/(?:conversations|deliveries)\//),
];

export function pointNamed(name: string): Point | null {
  return POINTS.find((point) => point.name === name) ?? null;
}
