import { setImmediate as others } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { type Core, done, eachCore } from '../core.js';
import { seed } from './seed.js';

const MESSAGES = 20_000;
const SUBJECTS = 1000;
const PER_TURN = 10;

eachCore('two claimers', (open) => {
  it('FIF-2 hand out 20,000 entries, none twice, each conversation in order, without a deadlock', async () => {
    const core = open();
    const { core: other, close } = await core.another();
    await seed(core.database, SUBJECTS, MESSAGES / SUBJECTS);
    const last = new Map<string, number>();
    let handed = 0;

    const work = async (worker: Core) => {
      for (let idle = 0; idle < 3; ) {
        const claims = await worker.claim({ coalesce: () => PER_TURN, widest: PER_TURN });
        for (const { conversation, from, to, entries } of claims) {
          expect(from).toBe((last.get(conversation) ?? 0) + 1);
          last.set(conversation, to);
          handed += entries.length;
        }
        const results = await worker.endAll(claims.map(done));
        expect(results.every((result) => result === 'ended')).toBe(true);
        await others();
        idle = claims.length === 0 ? idle + 1 : 0;
      }
    };
    await Promise.all([work(core), work(other)]);

    expect(handed).toBe(MESSAGES);
    expect([...last.values()].every((to) => to === MESSAGES / SUBJECTS)).toBe(true);
    expect(await core.rows("select count(*) as open from deliveries where state <> 'completed'")).toEqual([{ open: 0 }]);
    expect(await deadlocks(core)).toBe(0);
    await close();
  }, 60_000);
});

async function deadlocks(core: Core): Promise<number> {
  if (core.database.dialect.name === 'sqlite') return 0;
  const [row] = await core.rows<{ deadlocks: number }>('select deadlocks from pg_stat_database where datname = current_database()');
  return row?.deadlocks ?? Number.NaN;
}
