import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import {
  type Automation,
  automationsMark,
  clearFailures,
  countFailure,
  deleteAutomation,
  disableAutomation,
  draftAutomation,
  enableAutomation,
  enabledAutomations,
  findAutomation,
  findAutomationEver,
  insertAutomation,
  lockAutomation,
  specOfVersion,
  switchOff,
  updateAutomation,
} from '../../../src/core/automations/automations.js';
import { listAutomations, listVersions } from '../../../src/core/automations/list-automations.js';
import type { Database } from '../../../src/database/database.js';
import { type Core, eachCore } from '../core.js';
import { spec } from './specs.js';

eachCore('automations in the store', (open) => {
  async function made(core: Core, name: string, change: Partial<Parameters<typeof insertAutomation>[1]> = {}): Promise<Automation> {
    const id = randomUUID();
    const automation = {
      id,
      org: 'default',
      origin: 'api',
      state: 'enabled',
      agent: 'helper (echo)',
      owner: 'ada',
      disabled: null,
    } as const;
    const isNew = await core.database.transaction((tx) => insertAutomation(tx, { ...automation, spec: spec({ name }), ...change }));
    const found = await core.database.transaction((tx) => findAutomation(tx, id));
    if (!isNew || found === null) throw new Error(`${name} was not made`);
    return found;
  }

  const edit = (database: Database, automation: Automation, timeout: number, by = 'ada') =>
    database.transaction((tx) =>
      updateAutomation(tx, automation, { spec: spec({ name: automation.name, timeout }), agent: 'helper (echo)', generation: 1, by }),
    );

  it('AUT-1 have a version for each change, and of two changes to one version one is made', async () => {
    const core = open();
    const first = await made(core, 'a');
    expect(first).toMatchObject({ version: 1, generation: 1, state: 'enabled', disabled: null, deletedAt: null, failures: 0 });
    expect(await Promise.all([edit(core.database, first, 1), edit(core.database, first, 2)])).toEqual(
      expect.arrayContaining([true, false]),
    );
    const { rows } = await core.database.transaction((tx) => listVersions(tx, first.id, { limit: 10, after: null }));
    expect(rows.map(({ version, madeBy }) => [version, madeBy])).toEqual([
      [2, 'ada'],
      [1, 'ada'],
    ]);
    const second = await core.database.transaction((tx) => lockAutomation(tx, first.id));
    expect(await core.database.transaction((tx) => specOfVersion(tx, first.id, 1))).toEqual(first.spec);
    expect(await core.database.transaction((tx) => specOfVersion(tx, first.id, 2))).toEqual(second?.spec);
    expect(await core.database.transaction((tx) => specOfVersion(tx, first.id, 3))).toBeNull();
  });

  it('AUT-1 have names that no two of an organisation share, until one is deleted', async () => {
    const core = open();
    const first = await made(core, 'a');
    const again = { id: randomUUID(), org: 'default', origin: 'api', state: 'enabled', agent: null, owner: 'ada', disabled: null } as const;
    const insert = (change: object) =>
      core.database.transaction((tx) => insertAutomation(tx, { ...again, spec: spec({ name: 'a' }), ...change }));
    expect(await insert({})).toBe(false);
    expect(await insert({ org: 'acme' })).toBe(true);
    expect(await core.database.transaction((tx) => deleteAutomation(tx, first.id))).toBe(true);
    expect(await core.database.transaction((tx) => deleteAutomation(tx, first.id))).toBe(false);
    expect(await insert({ id: randomUUID() })).toBe(true);
    expect(await core.database.transaction((tx) => findAutomation(tx, first.id))).toBeNull();
    expect(await core.database.transaction((tx) => findAutomationEver(tx, first.id))).toMatchObject({
      state: 'disabled',
      deletedAt: expect.any(Number),
    });
  });

  it('AUT-1 go through their states, and each step is taken once', async () => {
    const core = open();
    const { id } = await made(core, 'a', { state: 'draft' });
    const steps = (...work: ((tx: Parameters<typeof enableAutomation>[0]) => Promise<boolean>)[]) =>
      work.reduce<Promise<boolean[]>>(async (all, step) => [...(await all), await core.database.transaction(step)], Promise.resolve([]));
    const enabled = async () => (await core.database.transaction(enabledAutomations)).map((each) => each.id);
    expect(await enabled()).toEqual([]);
    expect(
      await steps(
        (tx) => draftAutomation(tx, id),
        (tx) => enableAutomation(tx, id),
        (tx) => enableAutomation(tx, id),
      ),
    ).toEqual([false, true, false]);
    expect(await enabled()).toEqual([id]);
    const off = { reason: 'manual', detail: 'too loud' };
    expect(
      await steps(
        (tx) => switchOff(tx, id, off),
        (tx) => switchOff(tx, id, off),
      ),
    ).toEqual([true, false]);
    const found = await core.database.transaction((tx) => findAutomation(tx, id));
    expect(found).toMatchObject({ state: 'disabled', disabled: off, disabledAt: expect.any(Number) });
    await steps((tx) => enableAutomation(tx, id));
    expect(await core.database.transaction((tx) => findAutomation(tx, id))).toMatchObject({
      state: 'enabled',
      disabled: null,
      disabledAt: null,
    });
  });

  it('AUT-1 count failures until they are enabled anew, and tell the audit log when they are switched off', async () => {
    const core = open();
    const { id } = await made(core, 'a');
    const count = () => core.database.transaction((tx) => countFailure(tx, id));
    expect([await count(), await count()]).toEqual([1, 2]);
    await core.database.transaction((tx) => clearFailures(tx, id));
    expect(await count()).toBe(1);
    const off = () => core.database.transaction((tx) => disableAutomation(tx, id, { reason: 'failing', detail: null }, 'throughline'));
    expect([await off(), await off()]).toEqual([true, false]);
    const lines = await core.rows<{ action: string; target: string; actor: string }>('select action, target, actor from audit');
    expect(lines).toEqual([{ action: 'automation.disable', target: id, actor: 'throughline' }]);
    await core.database.transaction((tx) => enableAutomation(tx, id));
    expect(await core.database.transaction((tx) => findAutomation(tx, id))).toMatchObject({ failures: 0 });
  });

  it('AUT-1 have a mark that differs after every change', async () => {
    const core = open();
    const mark = () => core.database.transaction(automationsMark);
    const marks = [await mark()];
    const first = await made(core, 'a');
    marks.push(await mark());
    await edit(core.database, first, 5);
    marks.push(await mark());
    await core.database.transaction((tx) => switchOff(tx, first.id, { reason: 'manual', detail: null }));
    marks.push(await mark());
    expect(new Set(marks).size).toBe(marks.length);
  });

  it('ADM-2 are listed page by page, those of the organisation that are there', async () => {
    const core = open();
    for (const name of ['a', 'b', 'c', 'd']) await made(core, name);
    await made(core, 'a', { org: 'acme' });
    const gone = await made(core, 'e');
    await core.database.transaction((tx) => deleteAutomation(tx, gone.id));
    const page = (after: readonly [number, string] | null, limit: number) =>
      core.database.transaction((tx) => listAutomations(tx, 'default', {}, { limit, after }));
    const first = await page(null, 3);
    const second = await page(first.next, 3);
    const all = await page(null, 10);
    expect([first.rows.length, second.rows.length, second.next, all.rows.length]).toEqual([3, 1, null, 4]);
    expect([...first.rows, ...second.rows]).toEqual(all.rows);
    expect(all.rows.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });
});
