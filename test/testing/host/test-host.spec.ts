import { afterEach, describe, expect, it } from '@jest/globals';
import { ChaosProvider, FakeAgent, FakeClock, TestHost, type TestHostOptions } from '../../../src/testing/host/index.js';

let host: TestHost;
afterEach(() => host.close());

interface Scene {
  readonly provider: ChaosProvider;
  readonly agent: FakeAgent;
}

async function start(more: TestHostOptions = {}): Promise<Scene> {
  const [agent, clock] = [new FakeAgent(), new FakeClock()];
  const provider = new ChaosProvider(clock);
  const config = { connections: { chaos: provider.connection }, ...more.config };
  host = await TestHost.start({ ...more, config, agent, clock, plugins: [provider.plugin] });
  return { provider, agent };
}

const send = (provider: ChaosProvider, event: ReturnType<ChaosProvider['say']>) => host.post('chaos', provider.request(event));
const conversations = async () => {
  const { body } = await host.ask<{ items: { state: string; id: string }[] }>('GET', '/v1/conversations');
  return body.items;
};

describe('a host in memory', () => {
  it('takes what a provider posts, and gives it to its agent', async () => {
    const { provider, agent } = await start();
    expect(await send(provider, provider.say('door', 'it squeaks'))).toMatchObject({ status: 200, body: { disposition: 'routed' } });
    await host.idle();
    expect(agent.heard()).toEqual([['it squeaks']]);
    expect(await conversations()).toMatchObject([{ state: 'open' }]);
    const forged = { ...provider.request(provider.say('door', 'oil it')), body: '{}' };
    expect(await host.post('chaos', forged)).toMatchObject({ status: 401 });
  });

  it('TRN-9 tries a failed turn again when the clock is moved, and not before', async () => {
    const { provider, agent } = await start({ config: { workers: { backoff: { first: '1h', max: '2h' } } } });
    agent.fail('no idea');
    await send(provider, provider.say('door', 'it squeaks'));
    await host.idle();
    expect(agent.turns).toHaveLength(1);
    await host.advance('59m');
    await host.idle();
    expect(agent.turns).toHaveLength(1);
    await host.advance('2m');
    await host.idle();
    expect(agent.heard()).toEqual([['it squeaks'], ['it squeaks']]);
  });

  it('gives a held agent one message at a time, in their order', async () => {
    const { provider, agent } = await start();
    agent.hold();
    for (const text of ['one', 'two']) await send(provider, provider.say('door', text));
    await host.until(() => agent.held === 1);
    agent.release();
    await host.idle();
    expect(agent.heard().flat()).toEqual(['one', 'two']);
  });

  it('lets a person decide what the agent asks for', async () => {
    const { provider, agent } = await start();
    let answer = '';
    agent.does(async (turn) => {
      answer = await turn.ask({ id: 'r-1', title: 'Push', body: 'git push' });
      return answer;
    });
    await send(provider, provider.say('door', 'push it'));
    const asked = async () => (await host.ask<{ items: { id: string }[] }>('GET', '/v1/approvals')).body.items;
    await host.until(async () => (await asked()).length === 1);
    const [approval] = await asked();
    expect(await host.ask('POST', `/v1/approvals/${approval?.id}/approve`, {})).toMatchObject({ status: 200 });
    await host.until(() => answer !== '');
    expect(answer).toBe('approved');
    await host.idle();
  });

  it('goes on after a restart with what waits', async () => {
    const { provider, agent } = await start({ config: { workers: { backoff: { first: '1h', max: '2h' } } } });
    agent.fail('no idea');
    await send(provider, provider.say('door', 'it squeaks'));
    await host.idle();
    await host.restart();
    await host.advance('1h');
    await host.idle();
    expect(agent.heard()).toEqual([['it squeaks'], ['it squeaks']]);
  });

  it('REC-1 runs a turn again that a crash cut off, and keeps nothing that it did afterwards', async () => {
    const { provider, agent } = await start();
    agent.hold();
    await send(provider, provider.say('door', 'it squeaks'));
    await host.until(() => agent.held === 1);
    await host.crash();
    await host.until(() => agent.turns.length === 2);
    agent.release();
    await host.idle();
    const [conversation] = await conversations();
    const { body } = await host.ask<{ items: { state: string }[] }>('GET', `/v1/conversations/${conversation?.id}/turns`);
    expect(body.items.map(({ state }) => state)).toEqual(['done']);
    expect(agent.heard()).toEqual([['it squeaks'], ['it squeaks']]);
  });

  it('REC-5 asks for what was missed while nothing was sent', async () => {
    const { provider, agent } = await start();
    await send(provider, provider.say('door', 'one'));
    await host.idle();
    provider.say('door', 'two, never sent');
    await host.restart();
    await host.until(() => agent.turns.length === 2);
    expect(agent.heard().flat()).toEqual(['one', expect.stringContaining('two, never sent')]);
    await host.idle();
  });
});

describe('a chaos provider', () => {
  it('DEL-1 sends every event several times and in any order, and each is heard once', async () => {
    for (const seed of [1, 2, 3]) {
      const { provider, agent } = await start();
      const events = ['door', 'window', 'roof'].flatMap((thing) =>
        ['a', 'b', 'c', 'd'].map((text) => provider.say(thing, `${thing} ${text}`)),
      );
      const sent = await provider.storm(host, events, { seed });
      expect(sent).toBeGreaterThan(events.length);
      await host.idle();
      const said = events.map(({ text }) => text ?? '');
      const heard = agent.heard().flat().join('\n');
      for (const text of said) expect(heard.split(text)).toHaveLength(2);
      if (seed !== 3) await host.close();
    }
  });

  it('EFF-2 EFF-5 loses the answer to a write, whose callback wakes nobody', async () => {
    const { provider, agent } = await start();
    await send(provider, provider.say('door', 'it squeaks'));
    await host.idle();
    const write = () => host.write('chaos', 'chaos_write', provider.subject('door'), { text: 'oiled' });
    expect((await provider.once('write', 'refuse')) && (await write())).toMatchObject({ is: 'refused' });
    expect(provider.writes).toEqual([]);
    provider.once('write', 'lose');
    expect(await write()).toMatchObject({ is: 'unknown' });
    const [written] = provider.writes;
    if (!written) throw new Error('nothing was written');
    expect(await send(provider, provider.callback(written))).toMatchObject({ body: { disposition: 'suppressed' } });
    await host.idle();
    expect(agent.turns).toHaveLength(1);
  });

  it('EFF-5 a lost answer whose callback never comes is found when its time has come', async () => {
    const { provider } = await start();
    await send(provider, provider.say('door', 'it squeaks'));
    await host.idle();
    provider.once('write', 'lose');
    await host.write('chaos', 'chaos_write', provider.subject('door'), { text: 'oiled' });
    const states = async () =>
      (await host.ask<{ items: { status: string }[] }>('GET', '/webhook-effects?status=all')).body.items.map(({ status }) => status);
    expect(await states()).toEqual(['outcome_unknown']);
    await host.advance('5m');
    await host.until(async () => (await states())[0] === 'confirmed');
  });

  it('TRM-3 ends things, and has a settlement that fails tried again', async () => {
    const { provider } = await start();
    await send(provider, provider.say('door', 'it squeaks'));
    await host.idle();
    provider.once('settle', 'break');
    await send(provider, provider.close('door'));
    await host.idle();
    expect(await conversations()).toMatchObject([{ state: 'terminal' }]);
    await host.advance('1h');
    await host.until(() => provider.settled.length > 0);
    expect(provider.settled).toEqual(['door']);
  });
});

describe('a fake clock', () => {
  it('stands until it is moved, and takes nothing else for a duration', async () => {
    await start();
    const clock = new FakeClock('2026-03-01T00:00:00Z');
    expect(clock.toISOString()).toBe('2026-03-01T00:00:00.000Z');
    clock.advance('36h');
    expect(clock.toISOString()).toBe('2026-03-02T12:00:00.000Z');
    expect(() => clock.advance('tomorrow')).toThrow(/is no duration/);
    expect(() => new FakeClock('soon')).toThrow(/is no instant/);
  });
});
