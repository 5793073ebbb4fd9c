import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ReadState } from '../../src/plugin/index.js';
import { revision } from '../core/builders.js';
import { assertModel, modelTimeout } from './assert-model.js';
import { SimulatedLife } from './lifetime.js';

/** How a subject really went: ended and opened in turn, each change at an instant, two of which may be the same. */
interface Truth {
  readonly changes: readonly ReadState[];
  /** In which order its events arrive, some of them more than once, some as a comment beside the change. */
  readonly arrivals: readonly { readonly change: number; readonly transition: boolean }[];
}

const STEPS = [
  'claim',
  'claim',
  'prepare',
  'finish',
  'finish',
  'crash',
  'begin',
  'begin',
  'end',
  'fail',
  'release',
  'arrive',
  'arrive',
] as const;
const OPERATED = [...STEPS, 'terminate', 'reopen'] as const;

function truths(mayTie: boolean): fc.Arbitrary<Truth> {
  return fc.array(fc.integer({ min: mayTie ? 0 : 1, max: 2 }), { minLength: 1, maxLength: 6 }).chain((gaps) => {
    let second = 1;
    const changes = gaps.map((gap, i): ReadState => {
      second += gap;
      return { state: i % 2 === 0 ? 'terminal' : 'open', reason: 'completed', revision: revision(second) };
    });
    const once = changes.map((_, change) => ({ change, transition: true }));
    const more = fc.array(fc.record({ change: fc.integer({ min: 0, max: changes.length - 1 }), transition: fc.boolean() }), {
      maxLength: 6,
    });
    return more
      .chain((extra) => fc.shuffledSubarray([...once, ...extra], { minLength: once.length + extra.length }))
      .map((arrivals) => ({ changes, arrivals }));
  });
}

/** Takes the steps, checks what must hold after each, and then lets everything come to rest. */
function live(life: SimulatedLife, { changes, arrivals }: Truth, steps: readonly string[], isAsked: boolean): void {
  const waiting = [...arrivals];
  const arrive = () => {
    const next = waiting.shift();
    const change = next && changes[next.change];
    if (next && change) life.admit({ ...change, transition: next.transition });
  };
  const truth = () => (isAsked ? (changes.at(-1) ?? null) : null);
  const take: Readonly<Record<string, () => void>> = {
    arrive,
    claim: () => void life.claim(),
    prepare: () => life.work?.entry.kind === 'prompt' && life.prepare(truth()),
    finish: () => life.finish(),
    crash: () => life.crash(),
    begin: () => life.beginJob(),
    end: () => life.endJob('finish'),
    fail: () => life.endJob('fail'),
    release: () => life.endJob('release'),
    terminate: () => life.operate('terminal'),
    reopen: () => life.operate('open'),
  };
  for (const step of steps) {
    take[step]?.();
    check(life);
  }
  while (waiting.length > 0) arrive();
  for (let rounds = 0; life.open.length > 0 || life.jobs.some(({ state }) => state === 'waiting' || state === 'running'); rounds++) {
    if (rounds > 200) throw new Error('it does not come to rest');
    life.endJob('finish');
    life.claim();
    if (life.work?.entry.kind === 'prompt') life.prepare(truth());
    life.finish();
    life.beginJob();
    check(life);
  }
}

/** Plain comparisons: they are made a million times. */
function check(life: SimulatedLife): void {
  const { open, jobs, work, told, conversation } = life;
  const ends = open.filter((entry) => entry.kind === 'lifecycle' && life.isEnd(entry));
  const running = jobs.filter(({ state }) => state === 'running');
  const isDriven = work?.entry.kind === 'prompt' && life.holds();
  const rules: Readonly<Record<string, boolean>> = {
    'one delivery stands for an end, and nothing of before it is left': ends.length <= 1 && (ends[0] ?? open[0]) === open[0],
    'nobody works where something is cleared away': running.length === 0 || !isDriven,
    'one end is cleared up behind at a time': new Set(running.map(({ ending }) => ending)).size <= 1,
    'jobs are begun for the end that is': !life.hasBegunForNothing,
    'ends are told of in their order': told.every((ending, i) => i === 0 || (told[i - 1] ?? 0) <= ending),
    'the queue counts what is open': conversation === null || conversation.queue.open === open.length,
  };
  for (const [rule, holds] of Object.entries(rules)) if (!holds) throw new Error(`not so: ${rule}`);
}

/** What is true of a life at rest, whatever happened before. */
function checkRest(life: SimulatedLife): void {
  const last = life.jobs.filter(({ ending }) => ending === life.ending);
  if (life.state === 'terminal' && life.ending > 0) {
    expect(last.map(({ state }) => state)).toEqual(last.map(() => 'done'));
    if (life.endingSequence !== null) expect(life.told.at(-1)).toBe(life.ending);
  }
}

describe('the life of a conversation, whatever happens in whatever order', () => {
  const steps = (of: readonly string[]) => fc.array(fc.constantFrom(...of), { maxLength: 60 });

  it(
    'TRM-1 TRM-3 ends as its subject did, told and cleaned up behind, where every change has a revision of its own',
    async () => {
      const property = fc.asyncProperty(truths(false), steps(STEPS), async (truth, taken) => {
        const life = new SimulatedLife(false);
        live(life, truth, taken, false);
        expect(life.state).toBe(truth.changes.at(-1)?.state);
        checkRest(life);
      });
      await assertModel(property, 1000);
    },
    modelTimeout(60_000),
  );

  it(
    'TRM-1 TRM-6 ends as its subject did, also where changes share a revision and the provider can be asked',
    async () => {
      const property = fc.asyncProperty(truths(true), steps(STEPS), async (truth, taken) => {
        const life = new SimulatedLife(true);
        live(life, truth, taken, true);
        checkRest(life);
        // Somebody has to be woken for the provider to be asked: an end that nothing came after is taken as it was told.
        const { state, revision: last } = truth.changes.at(-1) ?? {};
        const isTied = truth.changes.filter((change) => change.revision === last).length > 1;
        if (!isTied) expect(life.state).toBe(state);
      });
      await assertModel(property, 1000);
    },
    modelTimeout(60_000),
  );

  it(
    'TRM-1 TRM-3 holds to itself when operators end and reopen it in between',
    async () => {
      const property = fc.asyncProperty(truths(true), fc.boolean(), steps(OPERATED), async (truth, canBeRead, taken) => {
        const life = new SimulatedLife(canBeRead);
        live(life, truth, taken, canBeRead);
        checkRest(life);
      });
      await assertModel(property, 1000);
    },
    modelTimeout(60_000),
  );
});
