import type { Cut } from '../fleet/chronicle.js';
import type { Deed } from '../traffic/operator.js';
import type { Sighting } from './agent-log.js';

interface Handling {
  readonly delivery: string;
  readonly sequence: number;
  hasEnded: boolean;
}

/** What an agent did, as its own lines say. */
export interface Turn {
  readonly id: string;
  readonly conversation: string;
  readonly server: string;
  readonly from: number;
  to: number;
  /** It said that it fails: then it is tried again. */
  hasFailed: boolean;
  /** In the order in which it began them. */
  readonly messages: Map<string, Handling>;
}

/**
 * How long after its agent's last line a turn may still be running: the process ends, and its end is committed. Also how late
 * an agent may write its first line that had its messages before its server was killed.
 */
const ENDING_MS = 3000;

/** In the order in which they began. */
export function turnsIn(sightings: readonly Sighting[]): Turn[] {
  const turns = new Map<string, Turn>();
  for (const { turn: id, conversation, server, at, what, delivery, sequence } of sightings) {
    const turn = turns.get(id) ?? { id, conversation, server, from: at, to: at, hasFailed: false, messages: new Map<string, Handling>() };
    turns.set(id, turn);
    turn.to = at;
    turn.hasFailed ||= what === 'fail';
    const message = turn.messages.get(delivery) ?? { delivery, sequence, hasEnded: false };
    message.hasEnded ||= what === 'end';
    turn.messages.set(delivery, message);
  }
  return [...turns.values()];
}

/** What may have happened to turns besides their own work. */
export interface Happenings {
  readonly cuts: readonly Cut[];
  readonly deeds: readonly Deed[];
  /** Whether the store has it that this turn was done. */
  readonly isDone: (turn: string) => boolean;
}

/** Messages that were begun more than once: how often rightly, and each of those for which nothing speaks. */
export function repeats(turns: readonly Turn[], { cuts, deeds, isDone }: Happenings): { excused: number; unexcused: string[] } {
  const cutsOf = Map.groupBy(cuts, ({ server }) => server);
  const deedsOn = Map.groupBy(deeds, ({ conversation }) => conversation);
  const before = new Map<string, Turn>();
  let excused = 0;
  const unexcused: string[] = [];
  for (const turn of turns) {
    for (const { delivery } of turn.messages.values()) {
      const earlier = before.get(delivery);
      before.set(delivery, turn);
      if (!earlier) continue;
      if (mayRepeat(earlier, turn, { cuts: cutsOf.get(earlier.server) ?? [], deeds: deedsOn.get(turn.conversation) ?? [], isDone }))
        excused += 1;
      else
        unexcused.push(
          `${delivery} was handled by ${earlier.id} (${earlier.server}), which nobody cut off, and again by ${turn.id} (${turn.server})`,
        );
    }
  }
  return { excused, unexcused };
}

function mayRepeat(earlier: Turn, later: Turn, { cuts, deeds, isDone }: Happenings): boolean {
  if (earlier.hasFailed) return true;
  // On a busy machine a turn may end long after its agent's last line; then the store must not have its end either.
  const wasRunning = (cut: Cut) => earlier.to >= cut.from - ENDING_MS || !isDone(earlier.id);
  if (cuts.some((cut) => earlier.from <= cut.to + ENDING_MS && wasRunning(cut))) return true;
  return deeds.some(({ verb, from, to }) => verb === 'abandon' && to >= earlier.from && from <= later.from);
}

/** Messages are begun in their order, within a turn and from turn to turn; one that is repeated had its place before. */
export function outOfOrder(turns: readonly Turn[]): string[] {
  return [...Map.groupBy(turns, ({ conversation }) => conversation).values()].flatMap((ofConversation) => {
    let highest = 0;
    const seen = new Set<string>();
    return ofConversation.flatMap(({ id, messages }) => {
      let inTurn = 0;
      return [...messages.values()].flatMap(({ delivery, sequence }) => {
        const isNew = !seen.has(delivery);
        const before = isNew ? Math.max(highest, inTurn) : inTurn;
        seen.add(delivery);
        inTurn = sequence;
        if (isNew) highest = Math.max(highest, sequence);
        return sequence > before ? [] : [`${delivery} was begun by ${id} after number ${before}`];
      });
    });
  });
}

/** Of one conversation no agent writes a line once another one has begun after it. */
export function overlapping(sightings: readonly Sighting[]): string[] {
  const newest = new Map<string, string>();
  const over = new Map<string, Set<string>>();
  const faults = new Set<string>();
  for (const { conversation, turn } of sightings) {
    const before = newest.get(conversation);
    const ended = over.get(conversation) ?? new Set<string>();
    over.set(conversation, ended);
    if (ended.has(turn)) faults.add(`${turn} was still at work when ${before} had begun`);
    else if (before !== turn) {
      if (before !== undefined) ended.add(before);
      newest.set(conversation, turn);
    }
  }
  return [...faults];
}
