import { describe, expect, it } from '@jest/globals';
import { planClaim } from '../../../src/core/deliveries/claim.js';
import type { OpenDelivery } from '../../../src/core/deliveries/deliveries.js';
import { emptyQueue, type Queue } from '../../../src/core/deliveries/queue.js';

const NOW = 1_000_000;

function entry(sequence: number, change: Partial<OpenDelivery> = {}): OpenDelivery {
  return {
    ...{ conversation: 'c', sequence, receipt: sequence, route: 'triage', kind: 'prompt', state: 'pending', trust: 'trusted' },
    ...{ waking: 1, wake_at: null, due_at: null, attempts: 0, interruptions: 0, deferrals: 0, author_kind: null, collects: 0 },
    ...change,
  };
}

function queueOf(open: readonly OpenDelivery[], change: Partial<Queue> = {}): Queue {
  const waking = open.filter((each) => each.waking === 1).length;
  return { ...emptyQueue('c', 'default', 'main'), open: open.length, waking, nextSequence: open.length + 1, ...change };
}

function plan(open: readonly OpenDelivery[], change: Partial<Queue> = {}, cap = 20) {
  const made = planClaim(queueOf(open, change), open, NOW, () => cap);
  return made.verdict === 'claim' ? made.entries.map(({ sequence }) => sequence) : made;
}

const many = (count: number, change: Partial<OpenDelivery> = {}) => Array.from({ length: count }, (_, i) => entry(i + 1, change));

describe('planning a claim', () => {
  it('FIF-2 claims the head only when it is pending and due', () => {
    expect(plan([])).toEqual({ verdict: 'wait', readyAt: null });
    expect(plan([entry(1), entry(2, { state: 'held' })])).toEqual([1]);
    expect(plan([entry(1, { state: 'held' }), entry(2)])).toEqual({ verdict: 'held' });
    expect(plan([entry(1, { due_at: NOW + 1 }), entry(2)])).toEqual({ verdict: 'wait', readyAt: NOW + 1 });
    expect(plan([entry(1, { due_at: NOW }), entry(2)])).toEqual([1, 2]);
  });

  it('FIF-6 lets as many consecutive prompts into one turn as the cap says', () => {
    expect(plan(many(25))).toEqual(many(20).map(({ sequence }) => sequence));
    expect(plan(many(3), {}, 1)).toEqual([1]);
    expect(plan(many(3), {}, 2)).toEqual([1, 2]);
  });

  it('FIF-6 coalesces across nothing that is held, a lifecycle, of another trust, or not due', () => {
    expect(plan([entry(1), entry(2, { kind: 'lifecycle' }), entry(3)])).toEqual([1]);
    expect(plan([entry(1, { kind: 'lifecycle' }), entry(2)])).toEqual([1]);
    expect(plan([entry(1), entry(2, { trust: 'untrusted' }), entry(3)])).toEqual([1]);
    expect(plan([entry(1), entry(2, { due_at: NOW + 5 }), entry(3)])).toEqual([1]);
    expect(plan([entry(1), entry(2), entry(3, { state: 'held' })])).toEqual([1, 2]);
  });

  it('FIF-6 takes nothing beyond what a repeated turn had', () => {
    expect(plan(many(3), { retryTo: 1 })).toEqual([1]);
    expect(plan(many(3), { retryTo: 2 })).toEqual([1, 2]);
  });

  it('FIF-6 a bound of messages that somebody skipped binds nothing', () => {
    expect(plan([entry(2), entry(3)], { retryTo: 1 })).toEqual([2, 3]);
  });

  it('FIF-7 messages that wake nobody wait for one that wakes, and ride along outside the cap', () => {
    const silent = { waking: 0 };
    expect(plan([entry(1, silent), entry(2, silent)])).toEqual({ verdict: 'wait', readyAt: null });
    expect(plan([entry(1, silent), entry(2, silent), entry(3), entry(4)], {}, 1)).toEqual([1, 2, 3]);
    expect(plan([entry(1), entry(2, silent), entry(3, silent), entry(4)], {}, 1)).toEqual([1, 2, 3]);
  });

  it('FIF-7 a message that wakes nobody is due by itself after its time', () => {
    expect(plan([entry(1, { waking: 0, wake_at: NOW + 7 }), entry(2, { waking: 0, wake_at: NOW + 3 })])).toEqual({
      verdict: 'wait',
      readyAt: NOW + 3,
    });
    expect(plan([entry(1, { waking: 0 }), entry(2, { waking: 0, wake_at: NOW })])).toEqual([1, 2]);
  });
});
