import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from '@jest/globals';
import { TriggerRegistry } from '../../../src/automations/triggers/trigger-registry.js';
import { insertAutomation, switchOff } from '../../../src/core/automations/automations.js';
import { Signals } from '../../../src/core/signals.js';
import { Automated, trigger } from '../../core/admission/automated.js';
import { AROUND, spec } from '../../core/automations/specs.js';
import { comment } from '../../core/builders.js';
import { type Core, eachCore } from '../../core/core.js';
import { until } from '../../worker/harness.js';

eachCore('the registry of event triggers', (open) => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  const said: string[] = [];
  async function started(core: Core, pollMs = 3_600_000): Promise<TriggerRegistry> {
    const registry = new TriggerRegistry(
      core.database,
      core.signals,
      { aroundOf: () => AROUND, trustOf: (_, source) => (source === 'hooks' ? 'trusted' : 'untrusted') },
      { unreadable: (automation, reason) => said.push(`${automation}: ${reason}`), failed: (reason) => said.push(reason) },
    );
    await registry.start(pollMs);
    stops.push(() => registry.stop());
    return registry;
  }

  async function stored(core: Core, change: Readonly<Record<string, unknown>> = {}, org = 'default'): Promise<string> {
    const id = randomUUID();
    const written = spec({ name: `automation ${id}`, triggers: [trigger()], ...change });
    const made = { id, org, origin: 'api', state: 'enabled', agent: null, owner: 'ada', disabled: null } as const;
    await core.database.transaction((tx) => insertAutomation(tx, { ...made, spec: written }));
    return id;
  }

  it('AUT-2 knows the enabled automations at its start, by organisation and source', async () => {
    const core = open();
    const first = await stored(core, {
      triggers: [trigger(), trigger({ source: 'hooks', subject_key_expr: 'id' }), { type: 'cron', schedule: '0 9 * * *' }],
    });
    const other = await stored(core, {}, 'acme');
    const off = await stored(core);
    await core.database.transaction((tx) => switchOff(tx, off, { reason: 'manual', detail: null }));
    const registry = await started(core);
    expect(registry.of('default', 'tracker')).toMatchObject([{ automation: first, isSandboxed: false, triggers: [{ number: 0 }] }]);
    expect(registry.of('default', 'hooks')).toMatchObject([{ automation: first, triggers: [{ number: 1, route: { trust: 'trusted' } }] }]);
    expect(registry.of('acme', 'tracker')).toMatchObject([{ automation: other }]);
    expect(registry.of('acme', 'hooks')).toEqual([]);
  });

  it('AUT-2 an event that follows a change in this process is decided by it', async () => {
    const a = await Automated.over(open());
    stops.push(() => a.stop());
    const id = await a.make();
    expect(a.registry.pending).not.toBeNull();
    expect((await a.core.admit(comment('T-1'))).deliveries).toMatchObject([{ route: `automation:${id}` }]);
    expect(a.registry.pending).toBeNull();
  });

  it('AUT-2 a change of another process is found without being told of', async () => {
    const core = open();
    const registry = await started(core, 5);
    const id = await stored(core);
    await until(() => registry.of('default', 'tracker').length === 1);
    await core.database.transaction((tx) => switchOff(tx, id, { reason: 'manual', detail: null }));
    await until(() => registry.of('default', 'tracker').length === 0);
  });

  it('what changes while it is read is read, too', async () => {
    const core = open();
    const registry = await started(core);
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const id = await stored(core);
        core.signals.emit('automations');
        return id;
      }),
    );
    await registry.refresh();
    expect(registry.of('default', 'tracker').map(({ automation }) => automation)).toEqual([...ids].sort());
  });

  it('an automation that cannot be read listens to nothing, and the others go on', async () => {
    const core = open();
    const [broken, whole] = [await stored(core), await stored(core)];
    await core.change(`update automations set spec = replace(spec, '"*"', '"{"') where id = ?`, broken);
    said.splice(0);
    const registry = await started(core);
    expect(registry.of('default', 'tracker').map(({ automation }) => automation)).toEqual([whole]);
    expect(said).toEqual([expect.stringContaining(broken)]);
  });

  it('what cannot be read stays what it was', async () => {
    const core = open();
    await stored(core);
    const registry = await started(core);
    const failing = { transaction: () => Promise.reject(new Error('down')) };
    const blind = new TriggerRegistry(
      { ...failing } as unknown as typeof core.database,
      new Signals(),
      { aroundOf: () => AROUND, trustOf: () => 'untrusted' },
      { unreadable: () => undefined, failed: (reason) => said.push(reason) },
    );
    said.splice(0);
    await blind.refresh();
    expect([said, blind.of('default', 'tracker')]).toEqual([['down'], []]);
    expect(registry.of('default', 'tracker')).toHaveLength(1);
  });

  it('the width and the routes of its triggers are what workers ask for', async () => {
    const core = open();
    const id = await stored(core, { triggers: [trigger({ coalesce: 50 })] });
    const registry = await started(core);
    expect([registry.widest, registry.route(`automation:${id}`)?.coalesce, registry.route('automation:none')]).toEqual([50, 50, null]);
  });
});
