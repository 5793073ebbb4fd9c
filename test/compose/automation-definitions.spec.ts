import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { bringInAutomations } from '../../src/compose/automation-definitions.js';
import type { Config } from '../../src/config/config.js';
import { findAutomation, insertAutomation } from '../../src/core/automations/automations.js';
import { configuredId } from '../../src/core/conversations/conversation-id.js';
import { configOf } from '../config/config-folder.js';
import { spec } from '../core/automations/specs.js';
import { type Core, eachCore } from '../core/core.js';

class Heard implements LoggerService {
  readonly lines: string[] = [];
  log = (message: string) => void this.lines.push(message);
  warn = (message: string) => void this.lines.push(`warning: ${message}`);
  error = () => undefined;
}

eachCore('a start with automations', (open) => {
  afterEach(() => Logger.overrideLogger(false));

  const runtime = (kind: string) => `runtimes: { helper: { kind: ${kind}, command: [x] } }`;
  const automations = 'automations: { a: { triggers: [], prompt: x, runtime: helper } }';

  async function start(core: Core, config: Config): Promise<{ lines: readonly string[]; told: number }> {
    const heard = new Heard();
    Logger.overrideLogger(heard);
    let told = 0;
    core.signals.on('automations', () => {
      told++;
    });
    await bringInAutomations(config, core.database, core.signals);
    core.signals.removeAllListeners('automations');
    return { lines: heard.lines, told };
  }

  it('AUT-1 makes those of the file, tells whoever keeps a view of them, and says nothing where nothing changed', async () => {
    const core = open();
    const config = await configOf(`${runtime('process')}\n${automations}`);
    expect(await start(core, config)).toEqual({ lines: [expect.stringContaining('1 made, 0 changed, 0 disabled')], told: 1 });
    expect(await start(core, config)).toEqual({ lines: [], told: 0 });
    expect(await start(core, await configOf(`${runtime('acp')}\n${automations}`))).toMatchObject({ told: 1 });
    const id = configuredId('automation', 'default', 'a');
    expect(await core.database.transaction((tx) => findAutomation(tx, id))).toMatchObject({ generation: 2, agent: 'helper (acp)' });
  });

  it('AUT-1 names the automations whose runtime the file does not have any more', async () => {
    const core = open();
    const id = randomUUID();
    const made = { id, org: 'default', origin: 'api', state: 'enabled', agent: null, owner: 'ada', disabled: null } as const;
    await core.database.transaction((tx) => insertAutomation(tx, { ...made, spec: spec({ name: 'mine', runtime: 'box' }) }));
    const { lines } = await start(core, await configOf(runtime('process')));
    expect(lines).toEqual([expect.stringMatching(`^warning: automation ${id} of default names the runtime box, which`)]);
  });
});
