import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OutcomeUnknown } from '../../../src/plugin/index.js';
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
});
