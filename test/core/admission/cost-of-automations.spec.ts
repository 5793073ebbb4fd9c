import { afterEach, expect, it } from '@jest/globals';
import type { Listeners } from '../../../src/core/automations/triggers.js';
import { Database } from '../../../src/database/database.js';
import type { Tx } from '../../../src/database/tx.js';
import { comment } from '../builders.js';
import { Core, eachCore } from '../core.js';
import { Automated, trigger } from './automated.js';

eachCore('what automations cost accept', (open) => {
  const opened: Automated[] = [];
  afterEach(() => {
    for (const each of opened.splice(0)) each.stop();
  });

  const bracket = { before: async () => undefined, after: async () => undefined };
  const group = (size: number, key: string) => Array.from({ length: size }, (_, i) => comment(`${key}-${i}`));

  /** The statements of one accept transaction. */
  async function statements(core: Core, listeners: Listeners, events: ReturnType<typeof group>): Promise<number> {
    const { orm, dialect } = core.database;
    let count = 0;
    const counted = (tx: Tx): Tx => ({
      dialect,
      all: (sql, values) => {
        count += 1;
        return tx.all(sql, values);
      },
      run: (sql, values) => {
        count += 1;
        return tx.run(sql, values);
      },
      insert: (insertion, rows) => {
        count += 1;
        return tx.insert(insertion, rows);
      },
    });
    const store = { transaction: <T>(work: (tx: Tx) => Promise<T>) => core.database.transaction((tx) => work(counted(tx))) };
    const counting = new Core(new Database(orm, dialect, store), core.test, core.owner, [], false, false, listeners);
    await counting.admissions.admitTogether(events, bracket);
    return count;
  }

  it('ACC-2 automations of other sources, and of none, cost no statement', async () => {
    const core = open();
    const a = await Automated.over(core);
    opened.push(a);
    const without = await statements(core, a.registry, group(5, 'A'));
    await a.make({ triggers: [trigger({ source: 'hooks', subject_key_expr: 'id' })] });
    await a.make({ triggers: [trigger({ on: ['never'] })] });
    await a.heard();
    expect(await statements(core, a.registry, group(5, 'B'))).toBe(without);
  });

  it('ACC-2 what an automation takes costs as many statements for a hundred events as for one', async () => {
    const core = open();
    const a = await Automated.over(core);
    opened.push(a);
    await a.make();
    await a.heard();
    const ofRoute = await statements(core, { of: () => [], pending: null }, group(1, 'A'));
    const [one, hundred, again] = [
      await statements(core, a.registry, group(1, 'B')),
      await statements(core, a.registry, group(100, 'C')),
      await statements(core, a.registry, group(100, 'C')),
    ];
    expect([hundred, again <= one]).toEqual([one, true]);
    expect(one - ofRoute).toBeLessThanOrEqual(9);
  });
});
