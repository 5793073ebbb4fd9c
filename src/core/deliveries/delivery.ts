import { ID_PATTERN } from '../conversations/conversation-id.js';
import { type EventOf, machine, quoted } from '../machine.js';

/**
 * One receipt's place in a conversation's queue.
 *
 *   held       an effect of ours may have caused it; nobody may claim it yet
 *   pending    waits for its turn
 *   claimed    is being worked on; in the database: pending, within the bounds of the conversation's claim
 *   completed  final, with an outcome
 */
export const delivery = machine('delivery', {
  held: { release: 'pending', suppress: 'completed', retire: 'completed', reset: 'completed', withdraw: 'completed' },
  pending: {
    claim: 'claimed',
    retire: 'completed',
    reset: 'completed',
    withdraw: 'completed',
    skip: 'completed',
    retry: 'pending',
    die: 'completed',
    supersede: 'completed',
  },
  claimed: {
    complete: 'completed',
    fail: 'pending',
    interrupt: 'pending',
    abandon: 'pending',
    park: 'pending',
    stop: 'completed',
    retire: 'completed',
    reset: 'completed',
    die: 'completed',
    supersede: 'completed',
  },
  completed: {},
});

/** How a delivery that is not completed is stored. */
export const OPEN_DELIVERY = ['held', 'pending'] as const;

/** How a completed delivery ended. `ignored` and `skipped` have a reason beside them. */
export type Outcome =
  | 'done'
  | 'lifecycle'
  | 'suppressed'
  | 'ignored'
  | 'retired'
  | 'reset'
  | 'withdrawn'
  | 'interrupted'
  | 'superseded'
  | 'skipped'
  | 'dead';

type DeliveryEvent = EventOf<typeof delivery.table>;

/** The event that leaves each outcome. */
const COMPLETED_BY = {
  done: 'complete',
  lifecycle: 'complete',
  suppressed: 'suppress',
  ignored: 'complete',
  retired: 'retire',
  reset: 'reset',
  withdrawn: 'withdraw',
  interrupted: 'stop',
  superseded: 'supersede',
  skipped: 'skip',
  dead: 'die',
} as const satisfies Record<Outcome, DeliveryEvent>;

/** Parts of a statement that makes a step: what it writes, and where it is legal. A claimed delivery is stored as pending. */
export interface StoredStep {
  readonly to: string;
  readonly from: string;
}

export function completion(outcome: Outcome): StoredStep {
  return storedStep(COMPLETED_BY[outcome]);
}

/** A step of any of these events, which lead to one state. */
export function storedStep(...events: readonly [DeliveryEvent, ...DeliveryEvent[]]): StoredStep {
  const from = events.flatMap((event) => delivery.sources(event)).map(stored);
  return { to: quoted(events.map((event) => stored(delivery.target(event)))), from: quoted(from) };
}

function stored(state: DeliveryState): Exclude<DeliveryState, 'claimed'> {
  return state === 'claimed' ? 'pending' : state;
}

export type DeliveryState = 'held' | 'pending' | 'claimed' | 'completed';
export type DeliveryKind = 'prompt' | 'lifecycle';
export type Trust = 'trusted' | 'untrusted';
/** Who wrote a message: a person, or a machine, ourselves among them. */
export type AuthorKind = 'person' | 'machine';

/** Who caused a turn that works on messages of these: a person, if there is one among them; null: nobody knows. */
export function causeOf(authors: readonly (AuthorKind | null)[]): AuthorKind | null {
  if (authors.includes('person')) return 'person';
  return authors.includes('machine') ? 'machine' : null;
}

/** Public id of a delivery: its conversation and its place there. */
export function deliveryId(conversation: string, sequence: number): string {
  return `${conversation}.${sequence}`;
}

const DELIVERY_ID = new RegExp(`^(${ID_PATTERN})\\.([1-9]\\d{0,14})$`);

/** Null: not an id of a delivery. */
export function parseDeliveryId(id: string): { conversation: string; sequence: number } | null {
  const [, conversation, sequence] = DELIVERY_ID.exec(id) ?? [];
  return conversation && sequence ? { conversation, sequence: Number(sequence) } : null;
}
