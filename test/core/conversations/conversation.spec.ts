import { describe, expect, it } from '@jest/globals';
import { type Lifetime, reduce, STRENGTH, UNOBSERVED } from '../../../src/core/conversations/conversation.js';
import type { Observation } from '../../../src/plugin/index.js';

const EARLY = '2026-01-01T00:00:00.000Z';
const LATE = '2026-01-02T00:00:00.000Z';

type Known = readonly [state: 'open' | 'terminal', revision: string | null, strength: keyof typeof STRENGTH];
type Seen = readonly [state: 'open' | 'terminal', revision: string | null, how: 'carried' | 'transition'];

const known = ([state, revision, strength]: Known): Lifetime => ({
  state,
  reason: state === 'terminal' ? 'merged' : null,
  revision,
  strength: STRENGTH[strength],
});
const seen = ([state, revision, how]: Seen): Observation => ({ state, revision, transition: how === 'transition' });

const TABLE: readonly [Known, Seen, ReturnType<typeof reduce>['verdict']][] = [
  // Only a newer revision changes it.
  [['open', EARLY, 'transition'], ['terminal', LATE, 'carried'], 'changed'],
  [['open', EARLY, 'transition'], ['terminal', LATE, 'transition'], 'changed'],
  [['terminal', EARLY, 'transition'], ['open', LATE, 'carried'], 'changed'],
  [['terminal', LATE, 'carried'], ['open', EARLY, 'transition'], 'stale'],
  [['open', LATE, 'carried'], ['terminal', EARLY, 'transition'], 'stale'],
  // The same state with a newer revision advances; with the same or an older one it says nothing.
  [['terminal', EARLY, 'transition'], ['terminal', LATE, 'carried'], 'advanced'],
  [['open', EARLY, 'carried'], ['open', LATE, 'transition'], 'advanced'],
  [['terminal', EARLY, 'transition'], ['terminal', EARLY, 'transition'], 'repeated'],
  [['terminal', LATE, 'transition'], ['terminal', EARLY, 'transition'], 'stale'],
  // An unversioned observation never overrides a versioned one, a versioned one overrides what had none.
  [['open', EARLY, 'carried'], ['terminal', null, 'transition'], 'stale'],
  [['terminal', EARLY, 'carried'], ['open', null, 'transition'], 'stale'],
  [['open', null, 'transition'], ['terminal', EARLY, 'carried'], 'changed'],
  [['open', null, 'transition'], ['terminal', null, 'transition'], 'changed'],
  [['open', null, 'carried'], ['terminal', null, 'carried'], 'changed'],
  // At one revision a change beats what merely came along; of two changes the later arrival wins.
  [['open', EARLY, 'carried'], ['terminal', EARLY, 'transition'], 'changed'],
  [['terminal', EARLY, 'transition'], ['open', EARLY, 'carried'], 'stale'],
  [['terminal', EARLY, 'transition'], ['open', EARLY, 'transition'], 'changed'],
  [['terminal', EARLY, 'carried'], ['open', EARLY, 'carried'], 'stale'],
  // What an operator said holds until a newer revision.
  [['terminal', EARLY, 'operator'], ['open', EARLY, 'transition'], 'stale'],
  [['open', EARLY, 'operator'], ['terminal', EARLY, 'transition'], 'stale'],
  [['terminal', EARLY, 'operator'], ['open', LATE, 'carried'], 'changed'],
  [['terminal', null, 'operator'], ['open', null, 'transition'], 'stale'],
];

describe('reducing what is observed of a life', () => {
  it.each(TABLE)('TRM-1 knows %j, sees %j: %s', (before, now, verdict) => {
    expect(reduce(known(before), seen(now)).verdict).toBe(verdict);
  });

  it('TRM-1 the first observation is taken whatever it is', () => {
    for (const how of ['carried', 'transition'] as const)
      for (const revision of [EARLY, null]) {
        const reduction = reduce(UNOBSERVED, seen(['terminal', revision, how]));
        expect(reduction).toEqual({
          verdict: 'changed',
          lifetime: { state: 'terminal', reason: 'closed', revision, strength: STRENGTH[how] },
        });
      }
  });

  it('GIT-2 where the state is the same only the revision advances: the reason stays', () => {
    expect(reduce(known(['terminal', EARLY, 'transition']), seen(['terminal', LATE, 'carried']))).toMatchObject({
      lifetime: { reason: 'merged', revision: LATE },
    });
    const anew = { ...seen(['terminal', LATE, 'transition']), reason: 'duplicate' };
    expect(reduce(known(['terminal', EARLY, 'transition']), anew)).toMatchObject({ lifetime: { reason: 'duplicate' } });
  });

  it('TRM-1 an open state has no reason', () => {
    expect(reduce(known(['terminal', EARLY, 'transition']), { ...seen(['open', LATE, 'transition']), reason: 'reopened' })).toMatchObject({
      lifetime: { reason: null },
    });
  });
});
