import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Conflict, InvalidInput, NotFound, OutcomeUnknown, ProviderFault } from '../../../src/plugin/index.js';
import { AgentServerClient } from '../../../src/runtimes/agent-server/agent-server-client.js';
import { messageId, postOnce } from '../../../src/runtimes/agent-server/post-once.js';
import { FakeAgentServer } from '../../fakes/agent-server/agent-server.js';

const ID = '5f0c9e52-1b7d-4c3a-8e45-a92d07f4b318';
const message = { id: messageId('delivery-1'), text: 'Look at it.', isMarked: true, run: true };

describe('the client of an agent server', () => {
  let server: FakeAgentServer;
  let client: AgentServerClient;

  beforeEach(async () => {
    server = await FakeAgentServer.start('k');
    client = new AgentServerClient({ url: server.url, apiKey: 'k' }, 300);
    await client.open(ID, {});
  });

  afterEach(() => server.close());

  it('opens a conversation that exists as it is', async () => {
    await client.post(ID, message);
    expect(await client.open(ID, {})).toEqual({ id: ID, status: 'idle', costUsd: 0.25, takesMessageIds: false });
    expect(server.said(ID)).toEqual([message.text]);
  });

  it.each([
    [404, NotFound],
    [409, Conflict],
    [422, InvalidInput],
    [401, ProviderFault],
    [503, ProviderFault],
    [500, OutcomeUnknown],
  ])('tells %i apart when it posts', async (status, kind) => {
    server.manner = () => ({ status, body: { detail: 'no' } });
    await expect(client.post(ID, message)).rejects.toBeInstanceOf(kind);
  });

  it('refuses an answer that is no conversation', async () => {
    server.manner = () => ({ status: 200, body: { id: ID, execution_status: 'dancing' } });
    await expect(client.conversation(ID)).rejects.toThrow('execution_status');
  });

  it.each(['drop', 'break', 'hang'] as const)(
    'posts a message once to a server without message ids that takes it and then does %s',
    async (manner) => {
      await client.post(ID, { ...message, id: messageId('delivery-0') });
      const checkpoint = null;
      server.manner = (call) => (call.method === 'POST' ? manner : 'ok');
      await expect(postOnce(client, ID, message, checkpoint)).rejects.toBeInstanceOf(OutcomeUnknown);
      server.manner = () => 'ok';
      const { event } = await postOnce(client, ID, message, checkpoint);
      expect(await postOnce(client, ID, message, event)).toEqual({ event, isOld: true });
      expect(server.said(ID)).toEqual([message.text, `[message ${message.id}]\n${message.text}`]);
    },
  );

  it('posts again what was not taken', async () => {
    const checkpoint = null;
    server.manner = (call) => (call.method === 'POST' ? { status: 500, body: {} } : 'ok');
    await expect(postOnce(client, ID, message, checkpoint)).rejects.toBeInstanceOf(OutcomeUnknown);
    server.manner = () => 'ok';
    await postOnce(client, ID, message, checkpoint);
    expect(server.said(ID)).toEqual([`[message ${message.id}]\n${message.text}`]);
  });
});
