import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expectSound } from '../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { answers, turns } from '../fakes/agent/index.js';
import { until } from './server-process.js';
import { type Setting, ToolHost } from './tool-host.js';

const TOOL = 'marked_comment';

eachDatabase('the tools of a conversation', (make) => {
  let test: TestDatabase;
  let host: ToolHost;

  beforeEach(async () => {
    test = await make.migrated();
  });
  afterEach(async () => {
    await expectSound(host.server.database);
    await host.close();
    await test.drop();
  });

  const started = async (setting: Setting = {}) => {
    host = await ToolHost.start(test, setting);
    return host;
  };
  const connected = async (issue = 'A') => {
    const { mcp, conversation } = await host.mcp(issue);
    return { mcp, conversation, client: await host.connect(mcp) };
  };

  it('EFF-8 an allowed call writes at once, to what the conversation is about, and its callback wakes nobody', async () => {
    await started();
    const { client } = await connected();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['comment', TOOL]);
    expect(tools[0]).toMatchObject({ inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } });
    const before = turns.length;
    const { isError, told } = await host.call(client, TOOL, { text: 'from the agent' });
    expect({ isError, told }).toMatchObject({ isError: false, told: { status: 'done', ids: { issue: 'A' } } });
    expect(host.board.comments.at(-1)).toMatchObject({ issue: 'A', text: 'from the agent', marker: expect.any(String) });
    await host.quiet();
    expect(turns.length).toBe(before);
  });

  it('EFF-7 a call that the client repeats is done once, also when both come at one time', async () => {
    await started();
    const { client } = await connected();
    const both = await Promise.all([host.call(client, TOOL, { text: 'once' }, 'k'), host.call(client, TOOL, { text: 'once' }, 'k')]);
    expect(both.map(({ told }) => told['status'])).toContain('done');
    expect(await host.call(client, TOOL, { text: 'once' }, 'k')).toMatchObject({ told: { status: 'done' } });
    expect(host.written).toEqual(['once']);
    expect(await host.call(client, TOOL, { text: 'other' }, 'k')).toMatchObject({ isError: true, told: { status: 'refused' } });
    expect(host.written).toEqual(['once']);
  });

  it.each([
    ['no such tool', 'delete_all', { text: 'x' }, 'there is no tool'],
    ['an argument too many', TOOL, { text: 'x', issue: 'B' }, 'issue'],
    ['an argument of another type', TOOL, { text: 1 }, 'text'],
    ['no argument', TOOL, {}, 'text'],
  ])('EFF-8 %s is refused in words, and nothing is sent', async (_, name, input, why) => {
    await started();
    const { client } = await connected();
    expect(await host.call(client, name, input)).toMatchObject({
      isError: true,
      told: { status: 'refused', message: expect.stringContaining(why) },
    });
    expect(await host.server.rows('select id from effects')).toEqual([]);
  });

  it('CTL-4 a call that needs approval returns at once; what a person allows is done, and wakes the agent', async () => {
    await started({ route: { outbound: 'approval_required' } });
    const { client, conversation } = await connected();
    const { isError, told } = await host.call(client, TOOL, { text: 'may I' });
    expect({ isError, told }).toMatchObject({
      isError: false,
      told: { status: 'awaiting_approval', approval: expect.stringMatching(/^[\w-]{20,64}$/) },
    });
    expect(host.written).toEqual([]);
    expect(await host.approvals('?state=pending')).toMatchObject([{ id: told['approval'], body: '{"text":"may I"}', state: 'pending' }]);
    expect((await host.server.ask('GET', `/v1/conversations/${conversation}`)).body).toMatchObject({ status: 'waiting_approval' });
    const before = turns.length;
    const clicks = await Promise.all([host.decide(told['approval'], 'approve'), host.decide(told['approval'], 'deny')]);
    expect(clicks.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await host.quiet();
    const isApproved = clicks[0].status === 200;
    expect(host.written).toEqual(isApproved ? ['may I'] : []);
    expect(turns.slice(before).flatMap(({ turn }) => turn.messages.map(({ source, text }) => [source, text]))).toEqual([
      ['approvals', expect.stringContaining(isApproved ? 'it is done' : 'denied')],
    ]);
    expect((await host.decide(told['approval'], 'approve')).body.detail).toContain('already decided by');
  });

  it('CTL-4 a denied and an expired call write nothing, and their agent is told', async () => {
    await started({ route: { outbound: 'approval_required' } });
    const { client } = await connected();
    const denied = await host.call(client, TOOL, { text: 'denied' });
    const expired = await host.call(client, TOOL, { text: 'expired' });
    const before = turns.length;
    await host.decide(denied.told['approval'], 'deny');
    await host.server.database.transaction((tx) => tx.run("update approvals set expires_at = created_at - 1 where state = 'pending'"));
    await host.quiet();
    await expect(host.approvals('?state=expired')).resolves.toMatchObject([{ id: expired.told['approval'] }]);
    expect((await host.decide(expired.told['approval'], 'approve')).status).toBe(409);
    await host.quiet();
    expect(host.written).toEqual([]);
    const said = turns
      .slice(before)
      .flatMap(({ turn }) => turn.messages.map(({ text }) => text))
      .join('\n');
    expect(said).toContain('denied');
  });

  it('CTL-4 one whose body was altered by one byte in the store is refused when it is approved', async () => {
    await started({ route: { outbound: 'approval_required' } });
    const { client } = await connected();
    const { told } = await host.call(client, TOOL, { text: 'aaaa' });
    await host.server.database.transaction((tx) => tx.run('update approvals set body = ?', [Buffer.from('{"text":"aaab"}')]));
    await host.decide(told['approval'], 'approve');
    await host.quiet();
    expect(await host.approvals()).toMatchObject([{ state: 'failed', reason: 'altered' }]);
    expect(host.written).toEqual([]);
  });

  it('CTL-4 REC-3 a restart between the decision and what it allows does it once', async () => {
    await started({ route: { outbound: 'approval_required' } });
    const { client } = await connected();
    const { told } = await host.call(client, TOOL, { text: 'after the restart' });
    const setting = { route: { outbound: 'approval_required' } };
    host = await host.restart({ ...setting, workers: { concurrency: 0 } });
    expect((await host.decide(told['approval'], 'approve')).status).toBe(200);
    expect(host.written).toEqual([]);
    host = await host.restart(setting);
    await host.quiet();
    expect(host.written).toEqual(['after the restart']);
    expect(await host.approvals()).toMatchObject([{ state: 'executed' }]);
  });

  it('WSP-2 what anybody can have written makes every write wait for a person', async () => {
    await started({ source: 'public' });
    const { client } = await connected();
    expect(await host.call(client, TOOL, { text: 'tainted' })).toMatchObject({ told: { status: 'awaiting_approval' } });
    expect(host.written).toEqual([]);
  });

  it('WSP-1 a read only route has no tools, and says why to whoever calls one all the same', async () => {
    await started();
    const { mcp, conversation } = await host.mcp('A');
    host = await host.restart({ route: { outbound: 'read_only' } });
    expect((await host.turn('A', 'again')).mcp).toBeNull();
    const client = await host.connect({ ...mcp, url: `${host.server.url}/v1/mcp/${conversation}` });
    expect((await client.listTools()).tools).toEqual([]);
    expect(await host.call(client, TOOL, { text: 'x' })).toMatchObject({
      told: { status: 'refused', message: expect.stringContaining('read only') },
    });
  });

  it('WSP-1 a workspace takes tools away, and denies, by wildcards', async () => {
    await started({ workspace: { tools: ['marked_*'], capabilities: { deny: ['nothing'], approve: ['board.marked_*'] } } });
    const { client } = await connected();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([TOOL]);
    expect(await host.call(client, TOOL, { text: 'x' })).toMatchObject({ told: { status: 'awaiting_approval' } });
    expect(await host.call(client, 'comment', { text: 'x' })).toMatchObject({
      told: { status: 'refused', message: expect.stringContaining('does not have') },
    });
  });

  it('CTL-4 a token opens its own conversation alone, and nothing is said of others', async () => {
    await started();
    const [a, b] = [await host.mcp('A'), await host.mcp('B')];
    const ask = async (url: string, token: string | null) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token && { authorization: `Bearer ${token}` }),
      };
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) });
      const { instance, ...problem } = (await answer.json()) as Record<string, unknown>;
      return { status: answer.status, problem: answer.ok ? null : problem, instance };
    };
    const nowhere = a.mcp.url.replace(a.conversation, '00000000-0000-5000-8000-000000000000');
    const refusals = [
      await ask(b.mcp.url, a.mcp.token),
      await ask(a.mcp.url, null),
      await ask(nowhere, a.mcp.token),
      await ask(`${a.mcp.url}x`, 'x'),
    ];
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(refusals.map(({ problem }) => JSON.stringify(problem))).size).toBe(1);
    expect((await ask(a.mcp.url, a.mcp.token)).status).toBe(200);
    for (const method of ['GET', 'DELETE'])
      expect((await fetch(a.mcp.url, { method, headers: { authorization: `Bearer ${a.mcp.token}` } })).status).toBe(405);
  });

  it.each(['terminate', 'reset'] as const)('CTL-4 TRM-2 RST-1 %s revokes the token', async (what) => {
    await started();
    const { client, conversation, mcp } = await connected();
    await host.server.ask('POST', `/v1/conversations/${conversation}/${what}`, {});
    await expect(host.call(client, TOOL, { text: 'too late' })).rejects.toThrow();
    expect(host.written).toEqual([]);
    if (what === 'terminate') await host.server.ask('POST', `/v1/conversations/${conversation}/reopen`, {});
    const next = await host.mcp('A');
    expect(next.mcp.token).not.toBe(mcp.token);
    await expect(host.call(client, TOOL, { text: 'too late' })).rejects.toThrow();
    expect(await host.call(await host.connect(next.mcp), TOOL, { text: 'anew' })).toMatchObject({ told: { status: 'done' } });
  });

  it('CTL-4 REC-3 an agent asks during its turn, the server restarts, a person allows it, and the repeated turn is told', async () => {
    await started();
    answers.length = 0;
    await host.board.say('A', 'ask: deploy');
    await until(async () => (await host.approvals('?state=pending')).length === 1);
    expect(await host.approvals()).toMatchObject([{ title: 'Run deploy', body: '$ deploy --now' }]);
    host = await host.restart();
    const [asked] = await host.approvals();
    expect((await host.decide(asked?.id, 'approve')).status).toBe(200);
    await until(() => answers.length === 1);
    await host.quiet();
    expect(answers).toEqual(['deploy approved']);
    expect(await host.approvals()).toMatchObject([{ id: asked?.id, state: 'executed' }]);
  });
});
