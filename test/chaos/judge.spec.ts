import { describe, expect, it } from '@jest/globals';
import type { AgentLog } from '../../src/chaos/judge/agent-log.js';
import { type Evidence, isSpotless, judge, type Verdict } from '../../src/chaos/judge/judge.js';
import type { Sent } from '../../src/chaos/traffic/sender.js';

type Sighting = AgentLog['sightings'][number];

const CALM = 1;
const ENDING = 6;
const OPERATED = 8;

function sent(number: number, sequence: number, change: Partial<Sent> = {}): Sent {
  const id = `chaos-${number}-${sequence}`;
  const delivery = { route: 'events', conversation: `c${number}`, delivery: `c${number}.${sequence}`, sequence, state: 'pending' as const };
  return {
    event: { id, kind: 'comment', subject: number, tick: sequence, isOpen: true },
    sentAt: sequence * 10,
    acceptedAt: sequence * 10 + 5,
    posts: 1,
    answer: {
      ...{ received: true, duplicate: false, receipt: id, disposition: 'routed', reason: null, matched: 1 },
      ...{ deliveries: [delivery], runs_created: [], conversations_continued: [] },
    },
    ...change,
  };
}

/** What an agent writes about some messages of a conversation, in one turn. */
function handled(number: number, turn: number, sequences: readonly number[], change: Partial<Sighting> = {}): Sighting[] {
  return sequences.flatMap((sequence) =>
    (['begin', 'at work', 'end'] as const).map((what) => ({
      ...{ at: turn * 10_000, server: 'one.1', conversation: `c${number}`, turn: `c${number}.t${turn}`, what },
      ...{ delivery: `c${number}.${sequence}`, sequence, sent: `chaos-${number}-${sequence}` },
      ...change,
    })),
  );
}

function stored(number: number, sequence: number, outcome: string | null = 'done') {
  return { id: `c${number}.${sequence}`, kind: 'prompt', outcome };
}

function verdictOn(change: Partial<Evidence>): Verdict {
  const nothing = { sent: [], sightings: [], cuts: [], deeds: [], stored: [], left: [], broken: [], faults: [] };
  return judge({ ...nothing, isDone: () => true, ...change });
}

const TWO = { sent: [sent(CALM, 1), sent(CALM, 2)], stored: [stored(CALM, 1), stored(CALM, 2)] };

describe('the judge of chaos', () => {
  it('finds nothing where everything accepted was handled once, in order', () => {
    expect(isSpotless(verdictOn({ ...TWO, sightings: handled(CALM, 1, [1, 2]) }))).toBe(true);
  });

  it('finds what was accepted and never handled', () => {
    expect(verdictOn({ ...TWO, sightings: handled(CALM, 1, [1]) }).lost).toEqual(['chaos-1-2: c1.2 is done, and no agent has handled it']);
    const begunOnly = [...handled(CALM, 1, [1]), ...handled(CALM, 1, [2]).filter(({ what }) => what !== 'end')];
    expect(verdictOn({ ...TWO, sightings: begunOnly }).lost).toHaveLength(1);
    expect(verdictOn({ sent: [sent(CALM, 1)] }).lost).toEqual(['chaos-1-1: its delivery c1.1 is not in the store']);
  });

  it('allows that a close or a person completes a delivery, where there was one', () => {
    const completed = (number: number, outcome: string) =>
      verdictOn({ sent: [sent(number, 1)], stored: [stored(number, 1, outcome)] }).lost;
    expect(completed(ENDING, 'retired')).toEqual([]);
    expect(completed(OPERATED, 'skipped')).toEqual([]);
    expect(completed(CALM, 'retired')).toEqual(['chaos-1-1: c1.1 was completed as retired']);
    expect(completed(ENDING, 'skipped')).toHaveLength(1);
  });

  it('finds what was handled twice although nobody cut it off, and counts what was rightly repeated', () => {
    const sightings = [...handled(CALM, 1, [1, 2]), ...handled(CALM, 2, [2])];
    expect(verdictOn({ ...TWO, sightings }).twice).toEqual([
      'c1.2 was handled by c1.t1 (one.1), which nobody cut off, and again by c1.t2 (one.1)',
    ]);
    const cut = (server: string, at: number) => verdictOn({ ...TWO, sightings, cuts: [{ server, from: at, to: at, how: 'at random' }] });
    expect(cut('one.1', 11_000)).toMatchObject({ twice: [], repeated: 1 });
    expect(cut('two.1', 11_000).twice).toHaveLength(1);
    expect(cut('one.1', 15_000).twice).toHaveLength(1);
    // Long after its agent's last line: it may be repeated as long as the store does not have its end.
    const late = [{ server: 'one.1', from: 15_000, to: 15_000, how: 'at random' }];
    expect(verdictOn({ ...TWO, sightings, cuts: late, isDone: () => false }).twice).toEqual([]);
    expect(verdictOn({ ...TWO, sightings, isDone: () => false }).twice).toHaveLength(1);
    const deed = { verb: 'abandon' as const, conversation: 'c1', from: 12_000, to: 13_000 };
    expect(verdictOn({ ...TWO, sightings, deeds: [deed] }).twice).toEqual([]);
  });

  it('finds one event with two deliveries, and a delivery of no event', () => {
    expect(verdictOn({ ...TWO, sightings: handled(CALM, 1, [1, 2]), stored: [...TWO.stored, stored(CALM, 3)] }).twice).toEqual([
      'c1.3 is a delivery that no event was answered with',
    ]);
    const mixed = handled(CALM, 1, [1, 2], { sent: 'chaos-1-1' });
    expect(verdictOn({ ...TWO, sightings: mixed }).twice).toEqual(['c1.2 is chaos-1-2, and reached its agent as chaos-1-1']);
  });

  it('finds messages that were begun out of their order, and numbers that are not in the order of sending', () => {
    expect(verdictOn({ ...TWO, sightings: handled(CALM, 1, [2, 1]) }).outOfOrder).toEqual(['c1.1 was begun by c1.t1 after number 2']);
    expect(verdictOn({ ...TWO, sightings: [...handled(CALM, 1, [2]), ...handled(CALM, 2, [1])] }).outOfOrder).toHaveLength(1);
    const swapped = [sent(CALM, 2, { sentAt: 10, acceptedAt: 15 }), sent(CALM, 1, { sentAt: 20, acceptedAt: 25 })];
    expect(verdictOn({ ...TWO, sent: swapped, sightings: handled(CALM, 1, [1, 2]) }).outOfOrder).toEqual([
      'chaos-1-1 has number 1, and was sent after chaos-1-2 had number 2',
    ]);
    const atOnce = [sent(CALM, 2, { sentAt: 10, acceptedAt: 15 }), sent(CALM, 1, { sentAt: 12, acceptedAt: 25 })];
    expect(verdictOn({ ...TWO, sent: atOnce, sightings: handled(CALM, 1, [1, 2]) }).outOfOrder).toEqual([]);
  });

  it('lets a repeated message have the place that it had', () => {
    const sightings = [...handled(CALM, 1, [1, 2]), ...handled(CALM, 2, [1, 2], { server: 'one.2' })];
    const cuts = [{ server: 'one.1', from: 10_000, to: 10_000, how: 'at random' }];
    expect(verdictOn({ ...TWO, sightings, cuts })).toMatchObject({ outOfOrder: [], twice: [], overlapping: [], repeated: 2 });
  });

  it('finds an agent that is still at work when the next one has begun', () => {
    const [begin, ...rest] = handled(CALM, 1, [1]);
    const sightings = [begin as Sighting, ...handled(CALM, 2, [2]), ...rest];
    expect(verdictOn({ ...TWO, sightings }).overlapping).toEqual(['c1.t1 was still at work when c1.t2 had begun']);
  });

  it('finds what is not completed, what was never accepted, and what else was said to be wrong', () => {
    const waiting = { sent: [sent(CALM, 1), sent(CALM, 2, { answer: null, posts: 9 })], stored: [stored(CALM, 1, null)], left: ['a job'] };
    expect(verdictOn({ ...waiting, broken: ['a rule'], faults: ['a fault'] })).toMatchObject({
      stuck: ['c1.1 is not completed', 'a job', 'chaos-1-2 was never accepted, in 9 posts'],
      other: ['a fault', 'the store is unsound: a rule'],
    });
  });

  it('finds a message that was accepted and decided not to be for an agent', () => {
    const ignored = sent(CALM, 1);
    const answer = {
      ...(ignored.answer as NonNullable<Sent['answer']>),
      disposition: 'ignored' as const,
      reason: 'terminal',
      deliveries: [],
    };
    expect(verdictOn({ sent: [{ ...ignored, answer }] }).lost).toEqual(['chaos-1-1 was accepted as ignored (terminal)']);
    expect(verdictOn({ sent: [{ ...sent(ENDING, 1), answer }] }).lost).toEqual([]);
  });
});
