import { afterEach, expect, it } from '@jest/globals';
import { NO_RULES } from '../../src/core/limits/rules.js';
import { comment, route } from '../core/builders.js';
import { delivered, eachCore } from '../core/core.js';
import { Bench, until } from '../worker/harness.js';

const MOST = 3;
const ALL_AUTHORS = { authors: { allowSelf: true, allowBots: true, allow: [] } };

eachCore('an agent whose answers come back to it', (open) => {
  let bench: Bench;

  afterEach(() => bench.stop());

  it('B56 TRN-10 is stopped after as many turns as are allowed, waits for a person, and holds nobody else up', async () => {
    const core = open(route(ALL_AUTHORS));
    const rules = { ...NO_RULES, loop: { turns: MOST, windowMs: 3_600_000 } };
    bench = new Bench(core, [route(ALL_AUTHORS)], { workspaces: [{ rules }] });
    await bench.start();
    const robot = (text: string) => core.admit(comment('T-1', text, { author: { id: '9', name: 'robot', isBot: true } }));
    const { conversation } = delivered(await core.admit(comment('T-1', 'a person asks')));
    (await bench.runtime.next()).finish();
    for (let turn = 0; turn < MOST; turn++) {
      await robot(`answer ${turn} to itself`);
      (await bench.runtime.next()).finish();
    }
    await robot('one too many');
    await until(async () => (await core.queue(conversation)).parked !== null);
    expect(await core.queue(conversation)).toMatchObject({ parked: 'looping', open: 1, owner: null });
    expect(bench.runtime.begun).toHaveLength(1 + MOST);

    await core.admit(comment('T-2', 'somebody else'));
    (await bench.runtime.next()).finish();
    await core.operations.resume('default', conversation, 'ada');
    (await bench.runtime.next()).finish();
    await until(async () => (await core.queue(conversation)).open === 0);
  });
});
