import type { Cut } from '../fleet/chronicle.js';
import type { Deed } from '../traffic/operator.js';
import type { Sent } from '../traffic/sender.js';
import { temperOf } from '../traffic/subjects.js';
import type { Sighting } from './agent-log.js';
import { outOfOrder, overlapping, repeats, type Turn, turnsIn } from './turns.js';

/** A delivery as the store has it in the end. */
export interface StoredDelivery {
  readonly id: string;
  readonly kind: string;
  readonly outcome: string | null;
}

export interface Evidence {
  readonly sent: readonly Sent[];
  readonly sightings: readonly Sighting[];
  readonly cuts: readonly Cut[];
  readonly deeds: readonly Deed[];
  readonly stored: readonly StoredDelivery[];
  /** Whether the store has it that a turn was done. */
  readonly isDone: (turn: string) => boolean;
  /** What ends of conversations have left to do. */
  readonly left: readonly string[];
  /** Rules of the store that do not hold. */
  readonly broken: readonly string[];
  /** What else went wrong: servers that ended by themselves, answers that contradict each other. */
  readonly faults: readonly string[];
}

export interface Verdict {
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly outOfOrder: readonly string[];
  readonly overlapping: readonly string[];
  readonly stuck: readonly string[];
  readonly other: readonly string[];
  /** Messages that an agent began again, and rightly: what worked on them was cut off. */
  readonly repeated: number;
}

/** How a delivery may end without an agent, where a person or the provider interfered. */
const EXCUSED: Readonly<Record<ReturnType<typeof temperOf>, readonly string[]>> = {
  calm: [],
  ending: ['retired'],
  operated: ['interrupted', 'skipped', 'reset'],
};

/** Holds what was accepted against what agents saw. */
export function judge(evidence: Evidence): Verdict {
  const turns = turnsIn(evidence.sightings);
  const again = repeats(turns, evidence);
  return {
    lost: lost(evidence, turns),
    twice: [...again.unexcused, ...madeTwice(evidence), ...mixedUp(evidence)],
    outOfOrder: [...outOfOrder(turns), ...numberedOutOfOrder(evidence.sent)],
    overlapping: overlapping(evidence.sightings),
    stuck: [
      ...evidence.stored.filter(({ outcome }) => outcome === null).map(({ id }) => `${id} is not completed`),
      ...evidence.left,
      ...neverAccepted(evidence),
    ],
    other: [...evidence.faults, ...evidence.broken.map((rule) => `the store is unsound: ${rule}`)],
    repeated: again.excused,
  };
}

export function isSpotless({ lost, twice, outOfOrder: disorder, overlapping: overlaps, stuck, other }: Verdict): boolean {
  return [lost, twice, disorder, overlaps, stuck, other].every((faults) => faults.length === 0);
}

function lost({ sent, stored }: Evidence, turns: readonly Turn[]): string[] {
  const outcomes = new Map(stored.map(({ id, outcome }) => [id, outcome]));
  const handled = new Set(turns.flatMap(({ messages }) => [...messages.values()].filter((m) => m.hasEnded).map((m) => m.delivery)));
  return sent.flatMap(({ event, answer }) => {
    if (answer === null || event.kind === 'closed') return [];
    const temper = temperOf(event.subject);
    const [delivery] = answer.deliveries;
    if (!delivery)
      return temper === 'ending' && answer.reason === 'terminal'
        ? []
        : [`${event.id} was accepted as ${answer.disposition} (${answer.reason})`];
    const outcome = outcomes.get(delivery.delivery);
    if (outcome === undefined) return [`${event.id}: its delivery ${delivery.delivery} is not in the store`];
    if (outcome === 'done')
      return handled.has(delivery.delivery) ? [] : [`${event.id}: ${delivery.delivery} is done, and no agent has handled it`];
    return outcome === null || EXCUSED[temper].includes(outcome) ? [] : [`${event.id}: ${delivery.delivery} was completed as ${outcome}`];
  });
}

/** More deliveries than events, or two events with one. */
function madeTwice({ sent, stored }: Evidence): string[] {
  const claimed = new Map<string, string>();
  const shared = sent.flatMap(({ event, answer }) =>
    (answer?.deliveries ?? []).flatMap(({ delivery }) => {
      const other = claimed.get(delivery);
      claimed.set(delivery, event.id);
      return other === undefined ? [] : [`${other} and ${event.id} have one delivery, ${delivery}`];
    }),
  );
  const unsent = stored.filter(({ id }) => !claimed.has(id)).map(({ id }) => `${id} is a delivery that no event was answered with`);
  return [...shared, ...unsent];
}

/** An agent was given under a delivery what another event said. */
function mixedUp({ sent, sightings }: Evidence): string[] {
  const idOf = new Map(sent.flatMap(({ event, answer }) => (answer?.deliveries ?? []).map(({ delivery }) => [delivery, event.id])));
  const wrong = sightings.filter(({ what, delivery, sent: id }) => what === 'begin' && id !== '' && idOf.get(delivery) !== id);
  return wrong.map(({ delivery, sent: id }) => `${delivery} is ${idOf.get(delivery)}, and reached its agent as ${id}`);
}

function neverAccepted({ sent }: Evidence): string[] {
  return sent.filter(({ answer }) => answer === null).map(({ event, posts }) => `${event.id} was never accepted, in ${posts} posts`);
}

/** What was sent after the answer to another of its subject, comes after it. */
function numberedOutOfOrder(sent: readonly Sent[]): string[] {
  return [...Map.groupBy(sent, ({ event }) => event.subject).values()].flatMap((ofSubject) => {
    let highest = { sequence: 0, id: '' };
    const accepted = ofSubject.flatMap((each) => {
      const [delivery] = each.answer?.deliveries ?? [];
      return delivery && each.acceptedAt !== null
        ? [{ sentAt: each.sentAt, acceptedAt: each.acceptedAt, id: each.event.id, sequence: delivery.sequence }]
        : [];
    });
    const byAnswer = accepted.toSorted((a, b) => a.acceptedAt - b.acceptedAt);
    let answered = 0;
    return accepted
      .toSorted((a, b) => a.sentAt - b.sentAt)
      .flatMap(({ sentAt, id, sequence }) => {
        for (let next = byAnswer[answered]; next && next.acceptedAt < sentAt; next = byAnswer[++answered])
          if (next.sequence > highest.sequence) highest = next;
        return sequence > highest.sequence
          ? []
          : [`${id} has number ${sequence}, and was sent after ${highest.id} had number ${highest.sequence}`];
      });
  });
}
