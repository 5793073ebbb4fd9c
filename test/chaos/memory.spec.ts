import { describe, expect, it } from '@jest/globals';
import { UsageFault } from '../../src/chaos/options.js';
import { growth, isFlat, residentMb, type Sample } from '../../src/chaos/soak/memory.js';
import { soakOptions } from '../../src/chaos/soak/options.js';

/** A hundred samples, whose memory the function says for each share of the deliveries. */
function samplesOf(rssMb: (share: number) => number): Sample[] {
  return Array.from({ length: 100 }, (_, i) => ({ done: (i + 1) * 1000, atMs: i * 500, rssMb: rssMb((i + 1) / 100) }));
}

describe('the memory of a soak', () => {
  it('is flat where it grows at first and then stays', () => {
    const settles = samplesOf((share) => Math.min(200, 100 + share * 400));
    expect(growth(settles)).toBe(0);
    expect(isFlat(settles)).toBe(true);
  });

  it('is not flat where it grows to the end, and a single peak does not count', () => {
    expect(isFlat(samplesOf((share) => 100 + share * 100))).toBe(false);
    expect(isFlat(samplesOf((share) => (share === 0.95 ? 900 : 200)))).toBe(true);
  });

  it('is that which the system gives a process', () => {
    expect(residentMb(process.pid)).toBeGreaterThan(20);
  });
});

describe('the options of a soak', () => {
  it('are those of the documents, with defaults', () => {
    expect(soakOptions([])).toEqual({ deliveries: 100_000, database: 'sqlite' });
    expect(soakOptions(['--deliveries', '5000', '--database', 'postgres'])).toEqual({ deliveries: 5000, database: 'postgres' });
  });

  it.each([
    [['--deliveries', '10'], '--deliveries must be a whole number from 1000 to 100000000, and is 10'],
    [['--database', 'mysql'], '--database must be sqlite or postgres, and is mysql'],
    [['--minutes', '5'], "Unknown option '--minutes'"],
  ])('%j are refused: %s', (args, why) => {
    expect(() => soakOptions(args)).toThrow(UsageFault);
    expect(() => soakOptions(args)).toThrow(why);
  });
});
