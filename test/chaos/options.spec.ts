import { describe, expect, it } from '@jest/globals';
import { chaosOptions, UsageFault } from '../../src/chaos/options.js';
import { Seeded } from '../../src/testing/host/seeded.js';

describe('the options of chaos', () => {
  it('are those of the documents, with defaults', () => {
    expect(chaosOptions([])).toMatchObject({ minutes: 5, database: 'sqlite', replicas: 1, seed: expect.any(Number) });
    expect(chaosOptions(['--minutes', '0.5', '--database', 'postgres', '--replicas', '2', '--seed', '7'])).toEqual({
      ...{ minutes: 0.5, database: 'postgres', replicas: 2, seed: 7 },
    });
    expect(chaosOptions(['--help'])).toBe('help');
  });

  it.each([
    [['--minutes', 'five'], '--minutes must be a number up to 1440, and is five'],
    [['--minutes', '0'], '--minutes must be a number up to 1440, and is 0'],
    [['--database', 'mysql'], '--database must be sqlite or postgres, and is mysql'],
    [['--replicas', '3'], '--replicas must be 1 or 2, and is 3'],
    [['--replicas', '2'], 'a SQLite file has one server: two replicas need --database postgres'],
    [['--seed', '1.5'], '--seed must be a whole number, and is 1.5'],
    [['--force'], "Unknown option '--force'"],
  ])('%j are refused: %s', (args, why) => {
    expect(() => chaosOptions(args)).toThrow(UsageFault);
    expect(() => chaosOptions(args)).toThrow(why);
  });
});

describe('chance with a seed', () => {
  it('is the same again for the same seed, and within its bounds', () => {
    const draw = (seed: number) => {
      const chance = new Seeded(seed);
      return [...Array.from({ length: 50 }, () => chance.between(1, 6)), ...chance.fork().shuffled(['a', 'b', 'c', 'd'])];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(new Set(draw(7).slice(0, 50))).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  });
});
