import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FakeAgent, TestHost } from 'throughline/testing/host';
import tickets from './index.js';
import { samples } from './samples.js';

it('hears of each event once, and tries again what failed when its time has come', async () => {
  const [stage, agent] = [await samples.stage?.(), new FakeAgent().fail('no idea yet')];
  const [secret] = samples.secrets ?? [];
  const connections = { desk: { plugin: 'tickets', secret, ...stage?.options } };
  const host = await TestHost.start({ agent, plugins: [tickets], config: { connections } });
  try {
    for (const request of samples.requests ?? []) assert.equal((await host.post('desk', request)).status, 200);
    await host.idle();
    await host.advance('10m');
    await host.idle();
    assert.deepEqual(agent.heard(), [['It is slow'], ['It is slow'], ['since monday']]);
  } finally {
    await host.close();
    await stage?.close();
  }
});
