import { afterEach, expect, it } from '@jest/globals';
import type { AgentRuntime } from '../../src/plugin/index.js';
import { KeptAgents } from '../../src/worker/kept-agents.js';
import { closing, comment, event, opened, prompt } from '../core/builders.js';
import { delivered, eachCore } from '../core/core.js';
import { until } from './harness.js';

eachCore('agents that a replica keeps between turns', (open) => {
  let agents: KeptAgents;
  afterEach(() => agents.stop());

  it('TRM-3 are let go of when their conversation has ended, on whatever replica its end was cleaned up', async () => {
    const core = open();
    const [ended, busy, other] = await Promise.all(
      ['A', 'B', 'C'].map(async (key) => delivered(await core.admit(comment(key))).conversation),
    );
    const kept = new Set([ended, busy, other].map(String));
    const retired: string[] = [];
    let isStuck = true;
    const runtime: AgentRuntime = {
      startTurn: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) }),
      kept: () => [...kept],
      retire: async (id) => {
        if (isStuck) throw new Error('it does not end');
        retired.push(id);
        kept.delete(id);
      },
    };
    const plain: AgentRuntime = { startTurn: runtime.startTurn };
    const working = new Set([String(busy)]);
    agents = new KeptAgents(core.database, { runtimes: () => [plain, runtime] }, (id) => working.has(id), 10);
    agents.start();
    await core.admitAll(closing('A', 10), closing('B', 10));
    isStuck = false;
    await until(() => retired.length === 1);
    expect(retired).toEqual([ended]);
    working.clear();
    await until(() => retired.length === 2);
    expect(retired).toEqual([ended, busy]);
    await core.admit(event(prompt('A', 'opened again', { observation: opened(20) })));
    await agents.stop();
    expect([...kept]).toEqual([other]);
  });
});
