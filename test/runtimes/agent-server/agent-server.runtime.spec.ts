import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OutcomeUnknown, ProviderFault, type TurnEvent } from '../../../src/plugin/index.js';
import { AgentServerRuntime } from '../../../src/runtimes/agent-server/agent-server.runtime.js';
import { ConversationGone } from '../../../src/runtimes/agent-server/conversation-gone.js';
import { FakeAgentServer } from '../../fakes/agent-server/agent-server.js';
import { failure, run, textOf, turnInput } from '../turns.js';

const first = { ...turnInput('hello'), session: null };

const OPTIONS = { request: {}, timeoutMs: 60_000, pollMs: 1, beginMs: 20, silenceMs: 300, wait: { limitMs: 20, everyMs: 5 } };

describe('the runtime of agent servers', () => {
  let server: FakeAgentServer;
  let runtime: AgentServerRuntime;

  beforeEach(async () => {
    server = await FakeAgentServer.start();
    server.agent = { says: 'Done.', ends: 'finished' };
    const servers = { find: async () => ({ url: server.url, apiKey: null }) };
    runtime = new AgentServerRuntime(servers, OPTIONS);
  });

  afterEach(() => server.close());

  it('opens the conversation under its id, and says what its agent says', async () => {
    expect(textOf(await run(runtime, first))).toBe('Done.');
    expect([...server.conversations.keys()]).toEqual([first.conversation.id]);
  });

  it.each(['drop', 'break'] as const)('gives a message once to a server that takes it and then does %s', async (manner) => {
    server.once((call) => call.path.endsWith('/events'), manner);
    await expect(run(runtime, first)).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(textOf(await run(runtime, first))).toBe('Done.');
    expect(server.said(first.conversation.id)).toHaveLength(1);
  });

  it.each(['paused', 'waiting_for_confirmation'])('gives a message to a conversation that is %s, and does not wake it', async (status) => {
    server.conversations.set(first.conversation.id, { status, events: [] });
    expect(await run(runtime, first)).toContainEqual({ type: 'result', text: expect.stringContaining('not woken') });
    expect(server.said(first.conversation.id)).toHaveLength(1);
    expect(server.conversations.get(first.conversation.id)?.status).toBe(status);
  });

  it('makes no conversation anew that had been open and is gone', async () => {
    await expect(run(runtime, { ...first, session: 'e-1' })).rejects.toBeInstanceOf(ConversationGone);
    expect(server.conversations.size).toBe(0);
  });

  it('fails a turn whose agent ends in an error, or never begins', async () => {
    server.agent = { says: 'Oh.', ends: 'error' };
    expect((await failure(run(runtime, first))).message).toContain('error');
    server.agent = null;
    const next = { ...first, turn: { ...first.turn, messages: first.turn.messages.map((message) => ({ ...message, delivery: 'd-9' })) } };
    server.conversations.clear();
    expect((await failure(run(runtime, next))).message).toContain('did not begin');
  });

  /** What it is told by the way. */
  const ofPosts = () => server.calls.filter(({ path }) => path.endsWith('/events')).map(({ body }) => JSON.parse(body));
  const asksForIt = ({ method, path }: { method: string; path: string }) => method === 'GET' && path.endsWith(first.conversation.id);

  const become = (status: string) => {
    const conversation = server.conversations.get(first.conversation.id);
    if (conversation) conversation.status = status;
  };

  it('AUT-5 finds every message of a turn that is repeated, and gives none twice', async () => {
    const many = { ...turnInput('one', 'two', 'three'), session: null };
    const events = await run(runtime, many);
    const sessions = events.flatMap((event) => (event.type === 'session' ? [event.id] : []));
    expect(sessions).toHaveLength(1);
    expect(textOf(await run(runtime, { ...many, session: sessions[0] ?? null }))).toBe('Done.');
    expect(server.said(first.conversation.id)).toHaveLength(3);
  });

  it.each([{ status: 500, body: {} }, { status: 503, body: {} }, { status: 404, body: {} }, 'drop'] as const)(
    'goes on with a turn whose server answers for a moment with %j',
    async (manner) => {
      for (let times = 0; times < 2; times += 1) server.once(asksForIt, manner);
      expect(textOf(await run(runtime, first))).toBe('Done.');
    },
  );

  it('gives a turn up, for another try, whose server stays silent', async () => {
    const silent = new AgentServerRuntime({ find: async () => ({ url: server.url, apiKey: null }) }, { ...OPTIONS, silenceMs: 30 });
    server.manner = (call) => (asksForIt(call) ? { status: 500, body: {} } : 'ok');
    await expect(run(silent, first)).rejects.toBeInstanceOf(ProviderFault);
  });

  it('AUT-5 says that a conversation is gone which goes while it is worked on', async () => {
    server.manner = (call) => (asksForIt(call) ? { status: 404, body: {} } : 'ok');
    await expect(run(runtime, first)).rejects.toBeInstanceOf(ConversationGone);
  });

  it('AUT-7 what is given while a person is asked is no yes of theirs, and is worked on after it', async () => {
    server.agent = { says: 'May I?', ends: 'waiting_for_confirmation' };
    const events: TurnEvent[] = [];
    for await (const event of runtime.startTurn(first, new AbortController().signal)) {
      events.push(event);
      if (event.type !== 'approval') continue;
      const [message] = turnInput('more').turn.messages;
      expect(await runtime.append('t-1', message ? [{ ...message, delivery: 'd-2' }] : [])).toBe(true);
      expect(ofPosts().map(({ run: isToRun }) => isToRun)).toEqual([true, false]);
      server.agent = { says: 'Both done.', ends: 'finished' };
      await runtime.decide('t-1', event.id, 'approved');
      become('idle');
    }
    expect(textOf(events)).toBe('May I?\n\nBoth done.');
  });

  it('AUT-7 does not begin what a person has paused before it began', async () => {
    server.agent = null;
    const events: TurnEvent[] = [];
    for await (const event of runtime.startTurn(first, new AbortController().signal)) {
      events.push(event);
      become('paused');
    }
    expect(events.at(-1)).toEqual({ type: 'status', text: expect.stringContaining('paused') });
    expect(server.calls.some(({ path }) => path.endsWith('/run'))).toBe(false);
  });

  it('stops the agent of a turn that nobody listens to any more', async () => {
    for await (const event of runtime.startTurn(first, new AbortController().signal)) if (event.type === 'text') break;
    expect(server.calls.at(-1)?.path).toMatch(/\/interrupt$/);
  });
});
