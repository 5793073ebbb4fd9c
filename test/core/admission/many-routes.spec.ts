import { describe, expect, it } from '@jest/globals';
import { inChunks, inTerms } from '../../../src/database/tx.js';
import { comment, event, opened, prompt, route } from '../builders.js';
import { eachCore } from '../core.js';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('what one statement cannot take', () => {
  it('is divided in its order', () => {
    expect(inChunks([], 3)).toEqual([]);
    expect(inChunks(numbers(7000), 13).map(({ length }) => length)).toEqual([2461, 2461, 2078]);
    expect(inTerms(numbers(1000)).flat()).toEqual(numbers(1000));
    expect(Math.max(...inTerms(numbers(1000)).map(({ length }) => length))).toBeLessThan(500);
  });
});

eachCore('events that many routes take', (open) => {
  it('ACC-1 a hundred events at once, to sixty routes with conversations of their own', async () => {
    const core = open(...numbers(60).map((i) => route({ name: `route-${i}`, scope: 'automation' })));
    const events = numbers(100).map((i) => event(prompt(`T-${i}`, 'hello', { observation: opened(1), messageKey: `m-${i}` })));
    const answers = await Promise.all(events.map((each) => core.admit(each)));
    expect(answers.every(({ deliveries }) => deliveries.length === 60)).toBe(true);
    expect([await core.count('deliveries'), await core.count('queues')]).toEqual([6_000, 6_000]);
    // Once more, now that the conversations are there.
    await Promise.all(numbers(100).map((i) => core.admit(comment(`T-${i}`))));
    expect([await core.count('deliveries'), await core.count('queues')]).toEqual([12_000, 6_000]);
  }, 60_000);
});
