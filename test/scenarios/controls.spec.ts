import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expectSound } from '../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { type ChatEvent, chatNamed, turns } from '../fakes/channel/plugin.js';
import { ConfiguredServer } from './configured-server.js';
import { until } from './server-process.js';

const KEY = Buffer.alloc(32, 5);
const SECRET = 'the secret of the chat';

eachDatabase('an issue and its thread', (make) => {
  let test: TestDatabase;
  let server: ConfiguredServer;
  let name: string;

  const start = async (control: object = { connection: 'chat', parent: 'C1' }) => {
    server = await ConfiguredServer.start(
      test,
      {
        plugins: [new URL('../fakes/channel/plugin.ts', import.meta.url).pathname],
        connections: { chat: { plugin: 'chat', secret: SECRET, chat: name, rate: 'off' } },
        runtimes: { agent: { kind: 'talking' } },
        workspaces: { main: { runtime: 'agent', control } },
        routes: { issues: { connection: 'chat', workspace: 'main' } },
        workers: { grace: '100ms', backoff: { first: '0ms' } },
      },
      KEY,
    );
  };
  const send = async (event: Omit<ChatEvent, 'id'>) => {
    const body = JSON.stringify({ id: randomUUID(), ...event });
    const headers = { 'content-type': 'application/json', 'x-chat-secret': SECRET };
    const answer = await fetch(`${server.url}/v1/events/default/chat`, { method: 'POST', headers, body });
    return (await answer.json()) as { disposition: string; reason: string | null; deliveries: { conversation: string }[] };
  };
  const nothingWaits = () =>
    until(async () => {
      const [row] = await server.rows<{ open: number }>(
        "select (select count(*) from deliveries where state <> 'completed') + (select count(*) from errands where ended_at is null) as open",
      );
      return row?.open === 0;
    });

  beforeEach(async () => {
    test = await make.migrated();
    name = randomUUID();
    turns.splice(0);
  });
  afterEach(async () => {
    await expectSound(server.database);
    await server.close();
    await test.drop();
  });

  it('TRN-8 CTL-3 CTL-5 CTL-6 goes from an event to a turn, to its thread, to an answer in it, over a restart, to the end', async () => {
    await start();
    const chat = chatNamed(name);
    const first = await send({ issue: 'PYN-123', title: '[PYN-123] Repair scheduler', text: 'please repair it' });
    const conversation = first.deliveries[0]?.conversation ?? '';
    await until(() => chat.acknowledged.length === 1);
    await until(() => chat.textsIn('T1')[0] === 'Working. I was told: please repair it');
    expect(chat.threads.get('T1')).toMatchObject({ title: '[PYN-123] Repair scheduler', parent: 'C1', marker: conversation });

    const answered = await send({ thread: 'T1', text: 'the second one, and hang' });
    expect(answered).toMatchObject({ disposition: 'routed', deliveries: [{ conversation }] });
    await until(() => chat.textsIn('T1')[1] === 'Working.');
    await server.close();
    await start();
    await until(() => chat.textsIn('T1')[1] === 'Working. I was told: the second one, and hang');
    await nothingWaits();
    const own = turns.filter((turn) => turn.conversation.id === conversation);
    expect(own.map(({ session, turn }) => [session, turn.attempt])).toEqual([
      [null, 1],
      [`session of ${conversation}`, 1],
      [`session of ${conversation}`, 2],
    ]);
    expect(chat.textsIn('T1')).toHaveLength(2);

    expect(await send({ thread: 'T1', action: { type: 'command', name: 'status' } })).toMatchObject({ reason: 'command' });
    await until(() => chat.answers.length === 1);
    expect(chat.answers[0]).toMatch(/: Open: idle\.$/);

    await send({ issue: 'PYN-123', closed: '2026-01-01T00:00:10.000Z' });
    await until(() => chat.threads.get('T1')?.isArchived === true);
    expect(await send({ thread: 'T1', text: 'one more thing' })).toMatchObject({ disposition: 'ignored', reason: 'terminal' });
    await until(() => chat.textsIn('T1').at(-1) === 'This conversation is closed at chat; /reopen to continue.');
    await nothingWaits();
    const { body } = await server.ask<{ control: object }>('GET', `/v1/conversations/${conversation}`);
    expect(body.control).toMatchObject({ connection: 'chat', thread: 'T1', state: 'closed', fault: null });
    expect(chat.threads.size).toBe(1);
    expect(chat.mostAtOnce).toBe(1);
  });

  it('CTL-1 a parent that does not exist is a state of the thread until it is mended, and every turn goes on', async () => {
    await start({ connection: 'chat', parent: 'nowhere' });
    const chat = chatNamed(name);
    await send({ issue: 'A', text: 'hello' });
    await until(async () => {
      const { body } = await server.ask<{ items: unknown[] }>('GET', '/v1/controls?fault=parent_gone');
      return body.items.length === 1;
    });
    await until(async () => (await server.rows("select 1 as open from deliveries where state <> 'completed'")).length === 0);
    await server.close();
    await start();
    await send({ issue: 'A', text: 'again' });
    await until(() => chat.textsIn('T1').includes('Working. I was told: again'));
    expect(chat.textsIn('T1')[0]).toBe('Working. I was told: hello');
    await nothingWaits();
  });
});
