import { describe, expect, it } from '@jest/globals';
import { completion, delivery, storedStep } from '../../../src/core/deliveries/delivery.js';
import { append, emptyQueue, fence, type Queue } from '../../../src/core/deliveries/queue.js';
import { IllegalTransition, machine } from '../../../src/core/machine.js';
import { ENDED_BY, LIVE_TURN, turn } from '../../../src/core/turns/turn.js';

const NOW = 1000;
const LOUD = { waking: true, wakeAt: null, debounceMs: null };
const SILENT = { ...LOUD, waking: false };

function queue(change: Partial<Queue> = {}): Queue {
  return { ...emptyQueue('c', 'default', 'main'), ...change };
}

describe('the queue of a conversation', () => {
  it('FIF-4 numbers from 1 without a gap and is ready at the first that wakes', () => {
    const q = queue();
    expect([append(q, SILENT, NOW), append(q, LOUD, NOW + 1), append(q, LOUD, NOW + 2)]).toEqual([1, 2, 3]);
    expect(q).toMatchObject({ nextSequence: 4, open: 3, waking: 2, readyAt: NOW + 1 });
  });

  it('FIF-3 keeps how long it has waited when more arrives', () => {
    const q = queue();
    append(q, LOUD, NOW);
    append(q, LOUD, NOW + 500);
    expect(q.readyAt).toBe(NOW);
  });

  it('FIF-2 is not ready while it is claimed or parked', () => {
    for (const state of [{ owner: 1 }, { parked: 'stalled' }, { parked: 'held' }, { parked: 'unconfigured' }] as const) {
      const q = queue(state);
      append(q, LOUD, NOW);
      expect(q).toMatchObject({ open: 1, readyAt: null });
    }
  });

  it('FIF-5 does not hurry a head that waits for its next attempt', () => {
    const q = queue({ open: 1, waking: 1, nextSequence: 2, readyAt: NOW + 9000 });
    append(q, LOUD, NOW);
    expect(q.readyAt).toBe(NOW + 9000);
  });

  it('FIF-7 a message that wakes nobody sets a time only when it has one, and a waking one is sooner', () => {
    const q = queue();
    append(q, SILENT, NOW);
    expect(q.readyAt).toBeNull();
    append(q, { ...SILENT, wakeAt: NOW + 60 }, NOW);
    expect(q.readyAt).toBe(NOW + 60);
    append(q, LOUD, NOW + 1);
    expect(q.readyAt).toBe(NOW + 1);
  });

  it('TRM-2 fencing empties it, raises the token and keeps the numbering', () => {
    const q = queue({ open: 4, waking: 3, nextSequence: 9, owner: 7, token: 5, claimFrom: 5, claimTo: 6, retryTo: 6 });
    fence(q);
    expect(q).toMatchObject({
      open: 0,
      waking: 0,
      head: 9,
      nextSequence: 9,
      readyAt: null,
      parked: null,
      owner: null,
      token: 6,
      retryTo: null,
    });
  });
});

describe('the state machines', () => {
  it('FIF-1 completed is final; every other state of a delivery can end as retired or reset', () => {
    expect(delivery.table.completed).toEqual({});
    expect(delivery.sources('retire')).toEqual(['held', 'pending', 'claimed']);
    expect(() => delivery.next('held', 'claim' as never)).toThrow(IllegalTransition);
    expect(() => delivery.next('completed', 'complete' as never)).toThrow('is not possible while it is completed');
  });

  it('FIF-1 statements write and guard what the table says, a claimed delivery being a pending one', () => {
    expect(completion('retired')).toEqual({ to: "'completed'", from: "'held', 'pending'" });
    expect([completion('done').from, completion('interrupted').from, completion('dead').from]).toEqual(Array(3).fill("'pending'"));
    expect(storedStep('fail', 'interrupt', 'park', 'retry')).toEqual({ to: "'pending'", from: "'pending'" });
  });

  it('TRN-1 each end of a turn is one that its table leads to', () => {
    for (const [state, event] of Object.entries(ENDED_BY)) expect(turn.target(event)).toBe(state);
    expect(() => machine('lamp', { on: { press: 'off' }, off: { press: 'on' } }).target('press')).toThrow('does not lead to one state');
  });

  it('TRN-1 the live states of a turn are those that can end', () => {
    expect(turn.sources('finish')).toEqual([...LIVE_TURN]);
    for (const ended of ['done', 'failed', 'interrupted', 'abandoned', 'retired', 'reset'] as const) expect(turn.table[ended]).toEqual({});
  });
});
