import { afterEach, expect, it, jest } from '@jest/globals';
import { Signals } from '../../../src/core/signals.js';
import { WebhookDesk, WebhookWorld } from '../../../src/core/webhooks/webhook-desk.js';
import { optionsOf } from '../../../src/core/webhooks/webhook-settings.js';
import { WebhookRegistry } from '../../../src/ingress/webhooks/webhook-registry.js';
import { type Core, eachCore } from '../../core/core.js';
import { until } from '../../worker/harness.js';
import { githubTransport, source } from '../outside.js';

const KEY = Buffer.alloc(32, 5);

class OpenWorld extends WebhookWorld {
  settingsFaults = () => [];
  secretFault = () => null;
  newSecret = () => 'made here';
  otherSource = () => null;
}

eachCore('the registry of webhooks', (open) => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    jest.restoreAllMocks();
    for (const stop of stops.splice(0)) stop();
  });

  const started = async (core: Core, { signals = new Signals(), pollMs = 3_600_000, key = KEY, said = [] as string[] } = {}) => {
    const registry = new WebhookRegistry(
      core.database,
      signals,
      key,
      {
        optionsOf: ({ settings }) => optionsOf(settings),
        sourceOf: (connection) => ({ ...source('hooks', githubTransport), connection }),
        isConfigured: (_, name) => name === 'taken',
      },
      { unusable: ({ source: name }, reason) => said.push(`${name}: ${reason}`), failed: (reason) => said.push(reason) },
    );
    await registry.start(pollMs);
    stops.push(() => registry.stop());
    return registry;
  };
  const deskOf = (core: Core, signals = new Signals()) => new WebhookDesk(core.database, signals, KEY, new OpenWorld());
  const made = { name: 'Hooks', source: 'hooks', isEnabled: true, settings: {}, secret: null };

  it('SIG-1 finds what another process has made by looking, and what this one says has changed at once', async () => {
    const core = open();
    const signals = new Signals();
    const heard = await started(core, { signals });
    const looks = await started(core, { pollMs: 20 });
    const deaf = await started(core);
    await deskOf(core, signals).create('default', made);
    await heard.refresh();
    expect(heard.find('default', 'hooks')?.connection).toMatchObject({ org: 'default', name: 'hooks', secrets: ['made here'] });
    await until(async () => looks.find('default', 'hooks') !== null);
    expect(deaf.find('default', 'hooks')).toBeNull();
    expect(heard.find('acme', 'hooks')).toBeNull();
  });

  it('SIG-4 the secret before ends when its time is over, although nobody reads anything anew', async () => {
    const core = open();
    const desk = deskOf(core);
    const { webhook } = await desk.create('default', { ...made, secret: 'the first' });
    const overlap = 60_000;
    await desk.rotate('default', webhook.id, 'the second', overlap);
    const registry = await started(core);
    const connection = registry.find('default', 'hooks')?.connection;
    expect(connection?.secrets).toEqual(['the second', 'the first']);
    expect(registry.untils(webhook.id)).toEqual([null, expect.any(Number)]);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + overlap + 5_000);
    expect(connection?.secrets).toEqual(['the second']);
    expect(registry.untils(webhook.id)).toEqual([null]);
  });

  it('SIG-4 of three secrets in a row the two newest are good', async () => {
    const core = open();
    const desk = deskOf(core);
    const { webhook } = await desk.create('default', { ...made, secret: 'the first' });
    for (const secret of ['the second', 'the third']) await desk.rotate('default', webhook.id, secret, 60_000);
    expect((await started(core)).find('default', 'hooks')?.connection.secrets).toEqual(['the third', 'the second']);
  });

  it('ADM-3 takes nothing for one whose secrets another key has sealed, or whose name the configuration has, and says so', async () => {
    const core = open();
    const desk = deskOf(core);
    await desk.create('default', made);
    await desk.create('default', { ...made, source: 'taken' });
    const said: string[] = [];
    const registry = await started(core, { said });
    expect([registry.find('default', 'hooks'), registry.find('default', 'taken')]).toEqual([expect.anything(), null]);
    expect(said).toEqual([expect.stringContaining('taken: the configuration has')]);
    const other = await started(core, { key: Buffer.alloc(32, 6), said });
    expect(other.find('default', 'hooks')).toBeNull();
    expect(said.at(-2) ?? said.at(-1)).toContain('cannot be opened');
    // What they have accepted is theirs all the same.
    expect(other.connection('default', 'hooks')).not.toBeNull();
  });

  it('keeps what was compiled for those that did not change', async () => {
    const core = open();
    const desk = deskOf(core);
    await desk.create('default', made);
    const registry = await started(core);
    const before = registry.find('default', 'hooks');
    await desk.create('default', { ...made, source: 'more' });
    await registry.refresh();
    expect(registry.find('default', 'more')).not.toBeNull();
    expect(registry.find('default', 'hooks')).toBe(before);
  });
});
