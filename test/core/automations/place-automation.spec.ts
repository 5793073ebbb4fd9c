import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { routeOfAutomation } from '../../../src/core/automations/automation.js';
import { findAutomation, insertAutomation, updateAutomation } from '../../../src/core/automations/automations.js';
import { placeAutomation } from '../../../src/core/automations/place-automation.js';
import { comment, route } from '../builders.js';
import { type Core, delivered, eachCore } from '../core.js';
import { spec } from './specs.js';

eachCore('conversations of a changed automation', (open) => {
  const place = { runtime: null, workspace: 'main' };

  async function conversationIn(core: Core, id: string, workspace: string): Promise<string> {
    const own = core.with(route({ name: routeOfAutomation(id), workspace }));
    return delivered(await own.admit(comment(`in ${workspace} ${randomUUID()}`))).conversation;
  }

  const workspaces = async (core: Core) => {
    const rows = await core.rows<{ id: string; workspace: string }>('select id, workspace from conversations');
    return new Map(rows.map((row) => [row.id, row.workspace]));
  };

  it('AUT-1 go along to another workspace with the same agents, and those of other generations and automations stay', async () => {
    const core = open();
    const [id, other] = [randomUUID(), randomUUID()];
    const made = { id, org: 'default', origin: 'api', state: 'enabled', agent: 'helper (echo)', owner: 'ada', disabled: null } as const;
    const change = async (written: object, generation: number) => {
      const found = await core.database.transaction((tx) => findAutomation(tx, id));
      if (found === null) throw new Error('there is none');
      await core.database.transaction((tx) =>
        updateAutomation(tx, found, { spec: spec({ ...place, ...written }), agent: 'helper (echo)', generation, by: 'ada' }),
      );
      const now = await core.database.transaction((tx) => findAutomation(tx, id));
      return now === null ? 0 : placeAutomation(core.database, now);
    };
    await core.database.transaction((tx) => insertAutomation(tx, { ...made, spec: spec({ workspace: null, runtime: 'box' }) }));
    const [old, going, foreign] = [
      ...[await conversationIn(core, id, 'runtime:box'), await conversationIn(core, id, 'main'), await conversationIn(core, other, 'main')],
    ];
    expect(await change({}, 2)).toBe(0);
    expect(await change({ workspace: null, runtime: 'helper' }, 2)).toBe(1);
    expect(await workspaces(core)).toEqual(
      new Map([
        [old, 'runtime:box'],
        [going, 'runtime:helper'],
        [foreign, 'main'],
      ]),
    );
    expect(await change({}, 2)).toBe(1);
    expect(await change({}, 2)).toBe(0);
  });
});
