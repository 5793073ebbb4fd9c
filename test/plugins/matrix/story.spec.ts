import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expectSound } from '../../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../../databases.js';
import { turns } from '../../fakes/agent/index.js';
import { ADA, BOB, Homeserver } from '../../fakes/matrix/homeserver.js';
import type { Json } from '../../fakes/matrix/world.js';
import { ConfiguredServer } from '../../scenarios/configured-server.js';
import { until } from '../../scenarios/server-process.js';
import { Person } from './matrix.devices.js';
import { SALES, SUPPORT } from './matrix.rooms.js';

const BOT = '@agent:example.org';
const OLGA = '@olga:example.org';
const OPS = '!ops:example.org';
const KEY = Buffer.alloc(32, 3);

eachDatabase('the story of two rooms of one account', (make) => {
  let test: TestDatabase;
  let matrix: Homeserver;
  let server: ConfiguredServer;
  let folder: string;
  let first: number;
  let tokens: Record<'owner' | 'bot', string>;

  beforeEach(async () => {
    test = await make.migrated();
    matrix = await Homeserver.start();
    for (const room of [SUPPORT, SALES]) matrix.world.addRoom(room);
    matrix.world.addRoom(OPS, [BOT, OLGA]);
    matrix.world.state(SUPPORT, 'm.room.encryption', '', { algorithm: 'm.megolm.v1.aes-sha2' }, BOB);
    tokens = { owner: matrix.tokenFor(ADA), bot: matrix.tokenFor(BOT, 'BOT') };
    folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-matrix-'));
    first = turns.length;
  });
  afterEach(async () => {
    await expectSound(server.database);
    await server.close();
    await matrix.close();
    await test.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const configOf = (routes: Record<string, Json> = {}) => {
    const store = { folder, key: KEY.toString('base64') };
    const rooms = { support: { id: SUPPORT, title: 'Support' }, sales: { id: SALES } };
    const at = { plugin: 'matrix', apiUrl: matrix.url, source: 'private' };
    return {
      plugins: ['matrix', new URL('../../fakes/agent/index.ts', import.meta.url).pathname],
      connections: {
        owner: { ...at, user: ADA, token: tokens.owner, rooms, encryption: true, store },
        bot: { ...at, user: BOT, token: tokens.bot, bot: true, rooms: { ops: { id: OPS } } },
      },
      runtimes: { agent: { kind: 'asking' } },
      workspaces: { main: { runtime: 'agent', control: { connection: 'bot', parent: OPS } } },
      routes: {
        support: { connection: 'owner', endpoint: 'support', workspace: 'main', ...routes.support },
        sales: { connection: 'owner', endpoint: 'sales', workspace: 'main', ...routes.sales },
      },
      workers: { grace: '1s' },
    };
  };
  const begin = async (routes: Record<string, Json> = {}) => {
    server = await ConfiguredServer.start(test, configOf(routes), KEY);
    await until(async () => (await server.rows('select source from cursors')).length === 2);
  };
  const restart = async (routes: Record<string, Json> = {}) => {
    await server.close();
    await begin(routes);
  };
  const heard = (room: string) =>
    turns
      .slice(first)
      .flatMap(({ conversation, turn }) => (conversation.subject.key === room ? turn.messages.map(({ text }) => text) : []));
  const inOps = (sender = BOT) => matrix.said(OPS, sender).map(({ content }) => String(content.body));

  it('MTX-1 one waits for its key while the other flows, over a restart, and is delivered once when the key arrives', async () => {
    await begin();
    const bob = await Person.of(matrix);
    await until(() => matrix.called('POST', /keys\/upload/).length >= 2);
    matrix.keys.isHolding = true;
    await bob.say(SUPPORT, 'locked', [ADA]);
    matrix.world.say(SUPPORT, 'after it');
    matrix.world.say(SALES, 'an offer');
    await until(() => heard(SALES).length === 1);
    const detail = async () => {
      const { body } = await server.ask<{ items: { sources: { detail: string | null }[] }[] }>('GET', '/v1/connections');
      return body.items.flatMap(({ sources }) => sources.map((source) => source.detail)).join();
    };
    await until(async () => /support waits: the key of/.test(await detail()));
    await restart();
    matrix.world.say(SALES, 'another offer');
    await until(() => heard(SALES).length === 2);
    expect(heard(SUPPORT)).toEqual([]);
    matrix.keys.release();
    await until(() => heard(SUPPORT).length === 2);
    await restart();
    matrix.world.say(SUPPORT, 'and on');
    await until(() => heard(SUPPORT).length === 3);
    expect(heard(SUPPORT)).toEqual(['locked', 'after it', 'and on']);
    expect(heard(SALES)).toEqual(['an offer', 'another offer']);
  });

  it('ACC-5 MTX-1 a room on demand is recorded, and its messages are admitted once when it is asked for', async () => {
    await begin({ sales: { activation: 'on_demand' } });
    matrix.world.say(SALES, 'kept');
    matrix.world.say(SUPPORT, 'at once');
    await until(() => heard(SUPPORT).length === 1);
    expect(heard(SALES)).toEqual([]);
    await restart({ sales: { activation: 'on_event', replay: true } });
    await until(() => heard(SALES).length === 1);
    matrix.world.say(SALES, 'more');
    await until(() => heard(SALES).length === 2);
    expect(heard(SALES)).toEqual(['kept', 'more']);
  });

  it('MTX-2 CTL-4 an agent reads its room, and what it writes there a person allows in the thread', async () => {
    await begin({ sales: { outbound: 'approval_required' } });
    matrix.world.say(SALES, 'Can I have an offer?');
    await until(() => heard(SALES).length === 1);
    const turn = turns.slice(first).find(({ conversation }) => conversation.subject.key === SALES);
    const client = new Client({ name: 'an agent', version: '1' });
    const { url, token } = turn?.mcp ?? { url: '', token: '' };
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    const call = async (name: string, input: object) => {
      const { content } = await client.callTool({ name, arguments: { ...input } });
      return JSON.parse((content as { text: string }[])[0]?.text ?? '{}') as Json;
    };
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(['matrix_route_read', 'matrix_route_send']);
    expect(await call('matrix_route_read', { limit: 5 })).toMatchObject({ messages: [{ sender: BOB, body: 'Can I have an offer?' }] });
    expect(await call('matrix_route_read', { limit: 251 })).toMatchObject({ status: 'refused' });
    expect(await call('matrix_route_send', { body: 'x', room: SUPPORT })).toMatchObject({ status: 'refused' });
    const asked = await call('matrix_route_send', { body: 'Here you are.' });
    expect(asked).toMatchObject({ status: 'awaiting_approval', approval: expect.any(String) });
    await client.close();
    await until(() => inOps().some((text) => text.includes(`/approve ${String(asked.approval)}`)));
    expect(matrix.said(SALES, ADA)).toEqual([]);
    const post = matrix.said(OPS, BOT).find(({ content }) => String(content.body).includes(`/approve ${String(asked.approval)}`));
    const relation = { 'm.relates_to': post?.content['m.relates_to'] };
    matrix.world.say(OPS, `/approve ${String(asked.approval)}`, OLGA, relation);
    await until(() => matrix.said(SALES, ADA).length === 1);
    expect(matrix.said(SALES, ADA)[0]?.content).toMatchObject({ body: 'Here you are.' });
    await until(() => turns.slice(first).some(({ turn: { messages } }) => messages.some(({ text }) => text.includes('matrix_route_send'))));
    matrix.world.say(OPS, 'Thanks, and tell them the price.', OLGA, relation);
    await until(() =>
      turns.slice(first).some(({ turn: { messages } }) => messages.some(({ text }) => text.includes('tell them the price'))),
    );
    const keys = new Set(turns.slice(first).map(({ conversation }) => conversation.subject.key));
    expect([...keys]).toEqual([SALES]);
    const [{ state } = { state: '' }] = await server.rows<{ state: string }>('select state from effects');
    expect(state).toBe('confirmed');
  });
});
