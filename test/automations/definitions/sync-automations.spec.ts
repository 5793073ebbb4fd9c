import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { reviewMade } from '../../../src/automations/definitions/review-made.js';
import { type Declared, syncAutomations } from '../../../src/automations/definitions/sync-automations.js';
import { enableAutomation, findAutomation, insertAutomation, switchOff } from '../../../src/core/automations/automations.js';
import { listVersions } from '../../../src/core/automations/list-automations.js';
import { configuredId } from '../../../src/core/conversations/conversation-id.js';
import { ConfigFault } from '../../../src/plugin/index.js';
import { AROUND, spec } from '../../core/automations/specs.js';
import { type Core, eachCore } from '../../core/core.js';

eachCore('automations of the configuration', (open) => {
  const declared = (name: string, change: Record<string, unknown> = {}, also: Partial<Declared> = {}): Declared => ({
    ...{ org: 'default', enabled: true, spec: spec({ name, ...change }), agent: 'helper (echo)' },
    ...also,
  });
  const sync = (core: Core, ...all: Declared[]) => core.database.transaction((tx) => syncAutomations(tx, all));
  const found = (core: Core, name: string) =>
    core.database.transaction((tx) => findAutomation(tx, configuredId('automation', 'default', name)));

  it('AUT-1 are made once, by whichever replica starts first, under the id that their name gives', async () => {
    const core = open();
    const both = await Promise.all([sync(core, declared('a')), sync(core, declared('a'))]);
    expect(both.map(({ made }) => made).toSorted()).toEqual([0, 1]);
    expect(await found(core, 'a')).toMatchObject({ origin: 'config', state: 'enabled', version: 1, owner: 'configuration' });
    expect(await sync(core, declared('a'))).toEqual({ made: 0, changed: 0, dropped: 0 });
  });

  it('AUT-1 have a version more after a change, and a generation more after one of their agents', async () => {
    const core = open();
    await sync(core, declared('a'));
    expect(await sync(core, declared('a', { prompt: 'Look twice.' }))).toMatchObject({ changed: 1 });
    expect(await found(core, 'a')).toMatchObject({ version: 2, generation: 1, spec: { prompt: 'Look twice.' } });
    await sync(core, declared('a', { prompt: 'Look twice.', runtime: 'box' }, { agent: 'box (agent-server)' }));
    expect(await found(core, 'a')).toMatchObject({ version: 3, generation: 2 });
    // Only what stands behind the name of the runtime is another.
    await sync(core, declared('a', { prompt: 'Look twice.', runtime: 'box' }, { agent: 'box (acp)' }));
    expect(await found(core, 'a')).toMatchObject({ version: 4, generation: 3, agent: 'box (acp)' });
    const { rows } = await core.database.transaction((tx) =>
      listVersions(tx, configuredId('automation', 'default', 'a'), { limit: 9, after: null }),
    );
    expect(rows.map(({ version, generation, madeBy }) => [version, generation, madeBy])).toEqual([
      [4, 3, 'configuration'],
      [3, 2, 'configuration'],
      [2, 1, 'configuration'],
      [1, 1, 'configuration'],
    ]);
  });

  it('AUT-1 are disabled when they vanish from the file, and enabled when they are back', async () => {
    const core = open();
    await sync(core, declared('a'), declared('b'));
    expect(await sync(core, declared('b'))).toEqual({ made: 0, changed: 0, dropped: 1 });
    expect(await found(core, 'a')).toMatchObject({ state: 'disabled', disabled: { reason: 'not_configured' } });
    expect(await sync(core, declared('b'))).toMatchObject({ dropped: 0 });
    await sync(core, declared('a'), declared('b'));
    expect(await found(core, 'a')).toMatchObject({ state: 'enabled', disabled: null, version: 1 });
  });

  it('AUT-1 follow `enabled` of the file, and stay off where a person or failures switched them off', async () => {
    const core = open();
    await sync(core, declared('a', {}, { enabled: false }), declared('b'));
    expect(await found(core, 'a')).toMatchObject({ state: 'disabled', disabled: { reason: 'configuration' } });
    await sync(core, declared('a'), declared('b', {}, { enabled: false }));
    expect([(await found(core, 'a'))?.state, (await found(core, 'b'))?.state]).toEqual(['enabled', 'disabled']);
    const id = configuredId('automation', 'default', 'a');
    await core.database.transaction((tx) => switchOff(tx, id, { reason: 'manual', detail: null }));
    await sync(core, declared('a', { timeout: 5 }), declared('b'));
    expect(await found(core, 'a')).toMatchObject({ state: 'disabled', disabled: { reason: 'manual' }, version: 2 });
    await core.database.transaction((tx) => enableAutomation(tx, id));
    await sync(core, declared('a', { timeout: 5 }), declared('b'));
    expect((await found(core, 'a'))?.state).toBe('enabled');
  });

  it('AUT-1 do not take the name of one that was made through the API', async () => {
    const core = open();
    const id = randomUUID();
    const made = { id, org: 'default', origin: 'api', state: 'enabled', agent: null, owner: 'ada', disabled: null } as const;
    await core.database.transaction((tx) => insertAutomation(tx, { ...made, spec: spec({ name: 'a' }) }));
    await expect(sync(core, declared('b'), declared('a'))).rejects.toThrow(ConfigFault);
    await expect(sync(core, declared('a'))).rejects.toThrow(/automations\.a: automation .* made through the API; rename/);
    expect(await found(core, 'b')).toBeNull();
  });

  it('AUT-1 and a changed runtime begin a new generation of those that were made through the API, too', async () => {
    const core = open();
    const id = randomUUID();
    const made = { id, org: 'default', origin: 'api', state: 'enabled', agent: 'helper (acp)', owner: 'ada', disabled: null } as const;
    await core.database.transaction((tx) => insertAutomation(tx, { ...made, spec: spec({ name: 'a' }) }));
    const review = (around = AROUND) => core.database.transaction((tx) => reviewMade(tx, () => around));
    expect(await review()).toMatchObject({ changed: 1, homeless: [] });
    expect(await core.database.transaction((tx) => findAutomation(tx, id))).toMatchObject({
      generation: 2,
      agent: 'helper (echo)',
      owner: 'ada',
    });
    expect(await review()).toMatchObject({ changed: 0 });
    const { changed, homeless } = await review({ ...AROUND, runtimes: new Map() });
    expect([changed, homeless.map(({ name }) => name)]).toEqual([0, ['a']]);
  });
});
