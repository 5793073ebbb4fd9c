import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { startAgentServer } from '../../src/agent-server/agent-server.js';
import { Served } from './served.js';

const KEY = 'a key of these tests alone';
const started: Served[] = [];

async function serve(env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const served = await new Served(env).start();
  started.push(served);
  return served;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((served) => served.remove()));
});

describe('the API of the agent server', () => {
  it.each(['THROUGHLINE_AGENT_SERVER_KEY', 'OH_SESSION_API_KEYS_0', 'SESSION_API_KEY'])(
    'asks for the key of %s, and for none to say that it lives',
    async (name) => {
      const served = await serve({ [name]: KEY });
      expect((await served.ask('GET', '/api/conversations/count')).status).toBe(401);
      expect((await served.ask('GET', '/api/conversations/count', undefined, { 'x-session-api-key': KEY.toUpperCase() })).status).toBe(401);
      expect((await served.ask('GET', '/api/conversations/count', undefined, { 'X-SESSION-API-KEY': KEY })).body).toBe(0);
      expect((await served.ask('GET', '/alive')).body).toEqual({ status: 'ok' });
      expect((await served.ask('GET', '/ready')).body).toEqual({ status: 'ready' });
      expect((await served.ask('GET', '/server_info')).body).toMatchObject({ version: '0.0.0' });
    },
  );

  it('without a key listens to this machine’s programs alone, and to no page in a browser', async () => {
    const served = await serve();
    expect((await served.ask('GET', '/api/conversations/count')).body).toBe(0);
    expect((await served.ask('GET', '/api/conversations/count', undefined, { origin: 'https://evil.example' })).status).toBe(403);
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/sockets/events/${randomUUID()}`, {
      headers: { origin: 'https://evil.example' },
    });
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('404');
  });

  it('tells every fault of a request, and where it is', async () => {
    const served = await serve();
    const wrong = { conversation_id: 'x', workspace: { working_dir: 'here' }, tags: { BIG: 1 }, title: 7 };
    const { status, body } = await served.ask('POST', '/api/conversations', wrong);
    expect([status, body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))]).toEqual([
      422,
      ['body.conversation_id', 'body.agent', 'body.workspace.working_dir', 'body.title', 'body.tags.BIG'],
    ]);
    expect((await served.open(randomUUID(), { kind: 'Agent' })).body.detail[0].msg).toContain('the kinds are acp, echo, process');
    expect((await served.open(randomUUID(), { kind: 'process' })).body.detail[0].msg).toContain('command is empty');
    const id = randomUUID();
    await served.open(id);
    expect((await served.say(id, 'x', { role: 'system' })).status).toBe(422);
    expect((await served.ask('POST', `/api/conversations/${id}/events`, { content: [{ type: 'image' }] })).status).toBe(422);
    expect((await served.say(randomUUID(), 'x')).body.detail).toContain('Conversation not found');
    expect((await served.ask('GET', '/api/conversations/17')).status).toBe(422);
    expect((await served.ask('GET', `/api/conversations/${id}/events/search?limit=1000`)).status).toBe(400);
    const broken = await fetch(`${served.url}/api/conversations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    expect(broken.status).toBe(400);
    expect((await served.ask('GET', '/nowhere')).status).toBe(404);
  });

  it('sends events as they come, those before when asked for, and takes messages', async () => {
    const served = await serve({ THROUGHLINE_AGENT_SERVER_KEY: KEY });
    const id = randomUUID();
    await served.ask('POST', '/api/conversations', { conversation_id: id, agent: { kind: 'echo' } }, { 'x-session-api-key': KEY });
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/sockets/events/${id}?resend_mode=all`);
    const events: { kind: string; key?: string; value?: unknown }[] = [];
    socket.on('message', (data) => events.push(JSON.parse(String(data))));
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'auth', session_api_key: KEY }));
    await once(socket, 'message');
    expect(events[0]).toMatchObject({ kind: 'ConversationStateUpdateEvent', key: 'full_state', value: { id, execution_status: 'idle' } });
    socket.send(JSON.stringify({ role: 'user', content: [{ type: 'text', text: 'hello' }] }));
    while (!events.some(({ value }) => value === 'finished')) await once(socket, 'message');
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['MessageEvent']));
    socket.send('no JSON');
    await once(socket, 'message');
    expect(events.at(-1)).toMatchObject({ kind: 'ServerErrorEvent' });
    socket.close();
    const late = new WebSocket(
      `${served.url.replace('http', 'ws')}/sockets/events/${id}?resend_mode=all&session_api_key=${encodeURIComponent(KEY)}`,
    );
    const [first] = await once(late, 'message');
    expect(JSON.parse(String(first))).toMatchObject({ kind: 'MessageEvent', source: 'user' });
    late.close();
  });

  it.each([
    ['a wrong key', () => randomUUID(), 'wrong', 4001],
    ['a conversation that is not there', () => randomUUID(), KEY, 4004],
  ])('closes the socket of %s', async (_, id, key, code) => {
    const served = await serve({ THROUGHLINE_AGENT_SERVER_KEY: KEY });
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/sockets/events/${id()}`);
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'auth', session_api_key: key }));
    expect((await once(socket, 'close'))[0]).toBe(code);
  });

  it('AUT-11 runs commands, tells what they print, and ends those that take too long with all that they began', async () => {
    const served = await serve({ THROUGHLINE_AGENT_SERVER_KEY: KEY });
    const headers = { 'x-session-api-key': KEY };
    const run = async (command: string, more: object = {}) =>
      (await served.ask('POST', '/api/bash/execute_bash_command', { command, ...more }, headers)).body;
    expect(await run('echo out; echo err >&2; exit 3')).toMatchObject({ exit_code: 3, stdout: 'out\n', stderr: 'err\n', order: 0 });
    expect(await run('pwd', { cwd: served.folder })).toMatchObject({ stdout: `${served.folder}\n` });
    expect((await run('env')).stdout).not.toContain(KEY);
    expect(await run('sleep 60 & sleep 60', { timeout: 1 })).toMatchObject({ exit_code: -1 });
    const { body: begun } = await served.ask('POST', '/api/bash/start_bash_command', { command: 'echo 1; sleep 0.5; echo 2' }, headers);
    const search = (query: string) => served.ask('GET', `/api/bash/bash_events/search?${query}`, undefined, headers);
    let outputs: { exit_code: number | null; stdout: string }[] = [];
    while (outputs.at(-1)?.exit_code == null) outputs = (await search(`kind__eq=BashOutput&command_id__eq=${begun.id}`)).body.items;
    expect([outputs.length, outputs.map(({ stdout }) => stdout).join('')]).toEqual([2, '1\n2\n']);
    expect((await search('kind__eq=BashCommand&sort_order=TIMESTAMP_DESC&limit=1')).body.items[0].command).toBe(begun.command);
  });

  it('AUT-11 ends all that a command began, also what left its group, and waits for nothing that it left behind', async () => {
    const served = await serve();
    const run = async (command: string, more: object = {}) =>
      (await served.ask('POST', '/api/bash/execute_bash_command', { command, ...more })).body;
    const begun = performance.now();
    expect(await run('exec setsid --wait bash -c "sleep 60"', { timeout: 1 })).toMatchObject({ exit_code: -1 });
    expect(await run('sleep 60 & echo hi')).toMatchObject({ exit_code: 0, stdout: 'hi\n' });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('keeps the end of what a command prints, and names a folder that is not there', async () => {
    const served = await serve();
    const command = 'head -c 2000000 /dev/zero | tr "\\0" x; echo; echo THE-END; echo THE-ERROR >&2; exit 1';
    const { body: begun } = await served.ask('POST', '/api/bash/execute_bash_command', { command });
    const { body } = await served.ask('GET', `/api/bash/bash_events/search?kind__eq=BashOutput&command_id__eq=${begun.command_id}`);
    const said = (stream: string) => body.items.map((each: Record<string, string>) => each[stream]).join('');
    expect([said('stdout').endsWith('THE-END\n'), said('stderr'), said('stdout').length < 1_000_000]).toEqual([true, 'THE-ERROR\n', true]);
    const nowhere = await served.ask('POST', '/api/bash/execute_bash_command', { command: 'true', cwd: '/not/there' });
    expect([nowhere.status, nowhere.body.detail]).toEqual([400, 'cwd: there is no folder /not/there']);
  });

  it('takes files and gives them back, by absolute paths', async () => {
    const served = await serve();
    const form = new FormData();
    const content = Buffer.from([0, 1, 2, 255]);
    form.set('file', new Blob([content]), 'file');
    const file = path.join(served.folder, 'in', 'a.bin');
    const post = (at: string, body: FormData | string) =>
      fetch(`${served.url}/api/file/upload?path=${encodeURIComponent(at)}`, { method: 'POST', body });
    expect((await post(file, form)).status).toBe(200);
    expect(readFileSync(file)).toEqual(content);
    const back = await fetch(`${served.url}/api/file/download?path=${encodeURIComponent(file)}`);
    expect(Buffer.from(await back.arrayBuffer())).toEqual(content);
    expect((await post('in/a.bin', form)).status).toBe(400);
    expect((await post(file, new FormData())).status).toBe(400);
    expect((await served.ask('GET', `/api/file/download?path=${encodeURIComponent(path.join(served.folder, 'none'))}`)).status).toBe(404);
    expect(existsSync('in')).toBe(false);
  });

  it('is the only one of its folder', async () => {
    const { folder } = await serve();
    const second = startAgentServer({ host: '127.0.0.1', port: 0, folder, env: {}, version: '0.0.0' });
    await expect(second).rejects.toThrow(/another Throughline server \(pid \d+\) is using .*give this one its own folder/);
  });
});
