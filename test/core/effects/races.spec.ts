import { expect, it, jest } from '@jest/globals';
import type { AdmissionAnswer } from '../../../src/core/admission/event.js';
import { comment, route } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';
import { callback, confirm, execute, fates, lose, refuse, type Write } from './writes.js';

const ROUNDS = 40;

/** All at once, in an order that each round has another of. */
async function together(round: number, ...work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const turned = work.map((_, i) => work[(i + round) % work.length]);
  await Promise.all(turned.map((each) => each?.()));
}

/** Conflicts that the store had to try again; a deadlock would be one. */
async function withoutConflict(core: Core, work: () => Promise<void>): Promise<void> {
  const fault = jest.spyOn(core.database.dialect, 'fault');
  try {
    await work();
    expect(fault.mock.results.map(({ value }) => value)).not.toContain('retry');
  } finally {
    fault.mockRestore();
  }
}

eachCore('answers of the provider and callbacks at the same time', (open) => {
  it.each(['before', 'between', 'after'])(
    'EFF-2 a callback that comes %s the answer is suppressed, and what comes with it goes on in order',
    async (when) => {
      const core = open(route(), route({ name: 'other', source: 'second' }));
      const answers: AdmissionAnswer[] = [];
      const come = async (source = 'tracker') => {
        answers.push(await core.admit({ ...callback('A', 'c1'), source }));
      };
      const write = await execute(core, 'A');
      if (when !== 'after') await come();
      await core.admit(comment('A', 'first'));
      if (when === 'before') await come('second');
      await confirm(core, write, 'c1');
      if (when !== 'before') await come('second');
      if (when === 'after') await come();
      await core.admit(comment('A', 'second'));
      const claim = await core.claimOne();
      expect(claim.entries).toHaveLength(2);
      expect(new Set((await core.deliveries(claim.conversation)).map(({ outcome }) => outcome))).toEqual(
        when === 'after' ? new Set([null]) : new Set(['suppressed', null]),
      );
    },
  );

  it('EFF-2 whoever comes first, no echo wakes anybody, nothing foreign is lost, and no candidate is left', async () => {
    const core = open(route(), route({ name: 'audit', scope: 'automation' }), route({ name: 'other', source: 'second' }));
    const second = await core.another(route(), route({ name: 'audit', scope: 'automation' }), route({ name: 'other', source: 'second' }));
    try {
      await withoutConflict(core, async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const key = `S${round % 3}`;
          const write = await execute(core, key);
          const own: AdmissionAnswer[] = [];
          let foreign: AdmissionAnswer | undefined;
          await together(
            round,
            () => confirm(second.core, write, `c${round}`),
            async () => own.push(await core.admit(callback(key, `c${round}`))),
            async () => own.push(await second.core.admit({ ...callback(key, `c${round}`), source: 'second' })),
            async () => {
              foreign = await core.admit(callback(key, `person ${round}`));
            },
          );
          expect(own.map(({ disposition }) => disposition).filter((d) => d !== 'held' && d !== 'suppressed')).toEqual([]);
          expect(['held', 'routed']).toContain(foreign?.disposition);
        }
      });
      expect(await core.count('effect_candidates')).toBe(0);
      expect(await core.rows("select 1 from deliveries where state = 'held'")).toEqual([]);
      const [{ open: waiting } = { open: 0 }] = await core.rows<{ open: number }>(
        "select count(*) as open from deliveries where state = 'pending'",
      );
      expect(waiting).toBe(2 * ROUNDS);
    } finally {
      await second.close();
    }
  }, 120_000);

  it('EFF-2 effects that end at once leave the last word about a common candidate to one of them', async () => {
    const core = open(route());
    const second = await core.another(route());
    try {
      await withoutConflict(core, async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const key = `T${round % 2}`;
          const writes: Write[] = [];
          for (let i = 0; i < 3; i++) writes.push(await execute(core, key));
          const [one, two, three] = writes as [Write, Write, Write];
          const held = await core.admit(callback(key, 'of a person'));
          await together(
            round,
            () => confirm(core, one, `one ${round}`),
            () => refuse(second.core, two),
            async () => {
              await lose(core, three);
              await refuse(second.core, three);
            },
          );
          expect(await fates(core, held)).not.toContain('held');
          expect(await core.count('effect_candidates')).toBe(0);
          await core.finish(await core.claimOne());
        }
      });
      const turns = await core.rows('select outcome from deliveries');
      expect(turns).toEqual(Array.from({ length: ROUNDS }, () => ({ outcome: 'done' })));
    } finally {
      await second.close();
    }
  }, 120_000);

  it('EFF-2 EFF-7 an event that proves a write and the answer to it are one, whoever comes first', async () => {
    const core = open(route());
    const second = await core.another(route());
    try {
      await withoutConflict(core, async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const marker = `marker ${round}`;
          const write = await execute(core, 'M', { marker });
          const unmarked = core.admit(callback('M', `other ${round}`));
          await together(
            round,
            () => confirm(second.core, write, `c${round}`),
            () => core.admit(callback('M', `c${round}`, { marker })),
            () => unmarked,
          );
          expect(delivered(await unmarked).sequence).toBe(round + 1);
          expect(await core.count('effect_candidates')).toBe(0);
        }
      });
      expect(await core.rows("select 1 from deliveries where state <> 'pending'")).toEqual([]);
    } finally {
      await second.close();
    }
  }, 120_000);
});
