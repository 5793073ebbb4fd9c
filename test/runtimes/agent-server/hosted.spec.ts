import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { TurnEvent, TurnInput } from '../../../src/plugin/index.js';
import { AgentServerRuntime } from '../../../src/runtimes/agent-server/agent-server.runtime.js';
import { FixedAgentServer } from '../../../src/runtimes/agent-server/agent-servers.js';
import { createRuntime } from '../../../src/runtimes/create-runtime.js';
import { ACP, Served } from '../../agent-server/served.js';
import { failure, run, textOf, turnInput } from '../turns.js';

jest.setTimeout(60_000);

let served: Served;
let runtime: AgentServerRuntime;

beforeEach(async () => {
  served = await new Served({ THROUGHLINE_AGENT_SERVER_KEY: 'key' }).start();
  const options = {
    request: { agent: ACP },
    timeoutMs: 60_000,
    pollMs: 5000,
    beginMs: 2000,
    silenceMs: 300,
    wait: { limitMs: 50, everyMs: 10 },
  };
  runtime = new AgentServerRuntime(new FixedAgentServer({ url: served.url, apiKey: 'key' }), options);
});
afterEach(() => served.remove());

/** The n-th turn of one conversation, each of its deliveries being another one. */
function turn(n: number, session: string | null, ...lines: string[]): TurnInput {
  const input = turnInput(lines.join('\n'));
  const id = '5f0c9e52-1b7d-4c3a-8e45-a92d07f4b318';
  const messages = input.turn.messages.map((message) => ({ ...message, delivery: `${id}.${n}` }));
  return {
    ...input,
    session,
    conversation: { ...input.conversation, id },
    turn: { ...input.turn, id: `t-${n}`, trust: 'trusted', messages },
  };
}

const key = { 'x-session-api-key': 'key' };
const ask = (method: string, asked: string, body?: unknown) =>
  served.ask(method, `/api/conversations/${turn(1, null).conversation.id}${asked}`, body, key);
const status = async () => (await ask('GET', '')).body.execution_status;
const sessionOf = (events: readonly TurnEvent[]) => events.findLast(({ type }) => type === 'session') as { id: string } | undefined;

async function during(input: TurnInput, act: (event: TurnEvent) => unknown, signal = new AbortController().signal): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of runtime.startTurn(input, signal)) {
    events.push(event);
    await act(event);
  }
  return events;
}

describe('turns at the agent server of this package', () => {
  it('says what the agent says, uses and costs, and goes on in its session', async () => {
    const first = await run(runtime, turn(1, null, '!say one', '!tool grep', '!say two', '!cost 0.5'));
    expect([textOf(first), first.find(({ type }) => type === 'cost')]).toEqual(['one\n\ntwo', { type: 'cost', usd: 0.5 }]);
    expect(first).toContainEqual({ type: 'tool', name: 'grep', input: { command: 'grep' } });
    const second = await run(runtime, turn(2, sessionOf(first)?.id ?? null, '!say three', '!cost 0.75'));
    expect([textOf(second), second.find(({ type }) => type === 'cost')]).toEqual(['three', { type: 'cost', usd: 0.25 }]);
  });

  it('hears at once what happens: it does not wait to ask', async () => {
    const begun = performance.now();
    await run(runtime, turn(1, null, '!say quick'));
    expect(performance.now() - begun).toBeLessThan(4000);
  });

  it('CTL-4 AUT-7 asks a person what its agent asks, and tells the agent what they said', async () => {
    for (const [n, decision, said] of [
      [1, 'approved', '[opt-allow_once]'],
      [2, 'denied', '[opt-reject_once]'],
    ] as const) {
      const events = await during(turn(n, null, '!ask rm'), async (event) => {
        if (event.type !== 'approval') return;
        expect([event.title, await status()]).toEqual(['Run rm', 'waiting_for_confirmation']);
        expect(await runtime.decide(`t-${n}`, 'another', decision)).toBe(false);
        expect(await runtime.decide(`t-${n}`, event.id, decision)).toBe(true);
      });
      expect(textOf(events)).toBe(said);
    }
  });

  it('AUT-7 gives a message to an agent that a person has paused, wakes it not, and says so', async () => {
    const first = await run(runtime, turn(1, null, '!say one'));
    await ask('POST', '/pause');
    const second = await run(runtime, turn(2, sessionOf(first)?.id ?? null, '!say two'));
    expect(second.at(-1)).toEqual({ type: 'result', text: expect.stringMatching(/was not woken: a person has paused/) });
    expect(await status()).toBe('paused');
    await ask('POST', '/run');
    await served.ask('GET', '/alive');
  });

  it('FIF-8 gives more messages to a turn that runs, which does not end before its agent has done them', async () => {
    let taken: Promise<boolean> | undefined;
    const events = await during(turn(1, null, '!ask rm'), async (event) => {
      if (event.type !== 'approval') return;
      taken = runtime.append('t-1', turn(2, null, '!say more').turn.messages);
      expect(await taken).toBe(true);
      await runtime.decide('t-1', event.id, 'approved');
    });
    expect(textOf(events)).toBe('[opt-allow_once]\n\nmore');
    expect(await runtime.append('t-1', turn(3, null, 'x').turn.messages)).toBe(false);
  });

  it('TRN-6 stops the agent when the turn is stopped, with the reason for which it was', async () => {
    const stop = new AbortController();
    const reason = new Error('a person stopped it');
    const stopped = during(
      turn(1, null, '!hang'),
      (event) => event.type === 'session' && setTimeout(() => stop.abort(reason), 100),
      stop.signal,
    );
    await expect(stopped).rejects.toBe(reason);
    expect(await status()).toBe('paused');
  });

  it('AUT-7 goes on after a turn that was stopped from here, which is no pause of a person', async () => {
    const stop = new AbortController();
    let session: string | null = null;
    const stopped = during(
      turn(1, null, '!hang'),
      (event) => {
        if (event.type !== 'session') return;
        session = event.id;
        setTimeout(() => stop.abort(new Error('stop')), 100);
      },
      stop.signal,
    );
    await expect(stopped).rejects.toThrow('stop');
    const next = during(turn(2, session, '!say two'), () => {});
    while ((await status()) !== 'running') await new Promise((resolve) => setTimeout(resolve, 10));
    await ask('POST', '/pause');
    expect((await next).at(-1)).toEqual({ type: 'status', text: expect.stringContaining('a person has paused') });
    expect((await run(runtime, turn(3, session, '!say three'))).at(-1)).toEqual({
      type: 'result',
      text: expect.stringContaining('was not woken'),
    });
  });

  it('AUT-7 REC-1 asks again what its agent asked when the host died', async () => {
    const input = turn(1, null, '!ask rm');
    for await (const event of runtime.startTurn(input, new AbortController().signal)) if (event.type === 'session') break;
    while ((await status()) !== 'waiting_for_confirmation') await new Promise((resolve) => setTimeout(resolve, 10));
    const events = await during({ ...input, turn: { ...input.turn, id: 't-9' } }, async (event) => {
      if (event.type === 'approval') expect(await runtime.decide('t-9', event.id, 'approved')).toBe(true);
    });
    expect(textOf(events)).toBe('[opt-allow_once]');
  });

  it('TRN-7 fails a turn that takes too long, and stops its agent', async () => {
    const options = {
      request: { agent: ACP },
      timeoutMs: 200,
      pollMs: 20,
      beginMs: 2000,
      silenceMs: 300,
      wait: { limitMs: 50, everyMs: 10 },
    };
    const short = new AgentServerRuntime(new FixedAgentServer({ url: served.url, apiKey: 'key' }), options);
    expect((await failure(run(short, turn(1, null, '!hang')))).message).toContain('longer than');
    expect(await status()).toBe('paused');
  });

  it('FIF-5 fails in the words of the agent server, and the same message is not given again', async () => {
    const failed = await failure(run(runtime, turn(1, null, '!crash 3')));
    expect([failed.message, failed.detail]).toEqual(['the agent ended as error', expect.stringContaining('out of memory')]);
    expect((await failure(run(runtime, turn(1, null, '!crash 3')))).message).toBe('the agent ended as error');
    const { body } = await ask('GET', '/events/search?source=user&kind=MessageEvent');
    expect(body.items).toHaveLength(1);
  });

  it('goes on with a turn whose host has died: what its agent did meanwhile is told, and nothing is done twice', async () => {
    const input = turn(1, null, '!say done alone');
    for await (const event of runtime.startTurn(input, new AbortController().signal)) if (event.type === 'session') break;
    while ((await status()) !== 'finished') await new Promise((resolve) => setTimeout(resolve, 10));
    const again = await runtime.reattach(
      { ...input, turn: { ...input.turn, id: 't-2', resumed: true } },
      't-1',
      new AbortController().signal,
    );
    const events: TurnEvent[] = [];
    for await (const event of again) events.push(event);
    expect(textOf(events)).toBe('done alone');
    expect((await ask('GET', '/events/search?source=agent&kind=MessageEvent')).body.items).toHaveLength(1);
  });

  it('says in the words of doctor where no server answers', async () => {
    const options = (url: string) => ({ url, agent: { kind: 'echo' } });
    expect(await createRuntime('agent-server', options(served.url)).check?.()).toBeNull();
    expect(await createRuntime('agent-server', options('http://127.0.0.1:1')).check?.()).toMatch(
      /no agent server answers at http:\/\/127.0.0.1:1/,
    );
    expect(() => createRuntime('agent-server', { url: served.url })).toThrow('agent is missing');
  });
});
