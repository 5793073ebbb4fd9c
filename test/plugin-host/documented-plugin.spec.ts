import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Connection } from '../../src/plugin/index.js';
import { expectSound } from '../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { type TicketsConnection, TicketsProvider } from '../fakes/tickets/index.js';
import { TicketServer } from '../fakes/tickets/ticket-server.js';
import { blocksOf } from '../readme-blocks.js';
import { ConfiguredServer } from '../scenarios/configured-server.js';
import { until } from '../scenarios/server-process.js';

interface Answer {
  readonly disposition: string;
  readonly reason: string | null;
}

const FILE = new URL('../fakes/tickets/index.ts', import.meta.url).pathname;
const SECRET = 'the secret of the tickets';
const SUBJECT = { namespace: 'tickets:acme:ticket', key: '7' };

describe('the plugin of docs/plugins.md', () => {
  it('is the one that is type-checked and run here, word for word', () => {
    const [example] = blocksOf('docs/plugins.md').filter(({ language }) => language === 'ts');
    expect(example?.text).toBe(readFileSync(FILE, 'utf8'));
  });

  it('has a parser that makes something of whatever it is given', () => {
    const connection: Connection<TicketsConnection> = {
      ...{ name: 'tickets', org: 'default', source: 'public', secrets: [] },
      options: { apiUrl: '', token: '' },
    };
    const parser = new TicketsProvider().subjects;
    const shaped = fc.record({
      tenant: fc.string(),
      action: fc.constantFrom('opened', 'edited'),
      ticket: fc.jsonValue(),
      user: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), shaped), (payload) => {
        expect(parser.parse({ connection, eventKey: 'x', payload })).toMatchObject({ kind: 'recorded', reason: 'invalid_shape' });
      }),
    );
  });
});

eachDatabase('the plugin of docs/plugins.md in a server', (make) => {
  let test: TestDatabase;
  let tickets: TicketServer;
  let server: ConfiguredServer;
  let count = 0;

  beforeEach(async () => {
    test = await make.migrated();
    tickets = await TicketServer.start();
    server = await ConfiguredServer.start(test, {
      plugins: [FILE],
      connections: { desk: { plugin: 'tickets', secret: SECRET, apiUrl: tickets.url, token: 't' } },
      runtimes: { loud: { kind: 'shout', suffix: '?' } },
      workspaces: { main: { runtime: 'loud' } },
      routes: { desk: { connection: 'desk', workspace: 'main' } },
    });
  });

  afterEach(async () => {
    await expectSound(server.database);
    await server.close();
    await tickets.close();
    await test.drop();
  });

  async function send(
    action: string,
    comment?: object,
    { state, updated } = { state: tickets.state, updated: tickets.updated },
  ): Promise<Answer> {
    const user = { id: 1, name: 'ada', bot: false };
    const body = JSON.stringify({ tenant: 'acme', action, ticket: { id: 7, title: 'It is slow', state, updated }, comment, user });
    const answer = await fetch(`${server.url}/v1/events/default/desk`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'x-tickets-id': `event-${++count}` },
        'x-tickets-signature': createHmac('sha256', SECRET).update(body).digest('hex'),
      },
      body,
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Answer;
  }

  const said = (id: string, text: string, client?: string) => ({ id, text, updated: '2026-01-01T11:00:00Z', client });
  const results = () => server.rows<{ result: string }>("select result from turns where state = 'done' order by started_at, token");

  it('TRM-3 hears, asks, answers, and settles the end', async () => {
    await send('opened');
    await until(async () => (await results()).length === 1);
    await send('commented', said('1', 'since monday'));
    await until(async () => (await results()).length === 2);
    expect((await results()).map(({ result }) => result)).toEqual(['IT IS SLOW?', 'SINCE MONDAY?']);
    Object.assign(tickets, { state: 'closed', updated: '2026-01-02T10:00:00Z' });
    expect(await send('closed')).toMatchObject({ disposition: 'lifecycle' });
    await until(async () => tickets.labels.length > 0);
    expect(tickets.labels).toEqual(['agent done: closed']);
    expect(await send('commented', said('2', 'anybody there'))).toMatchObject({ disposition: 'ignored', reason: 'terminal' });
  });

  it('TRN-6 a ticket that was closed meanwhile wakes nobody, though its event has not come yet', async () => {
    const before = { state: tickets.state, updated: tickets.updated };
    Object.assign(tickets, { state: 'closed', updated: '2026-01-02T10:00:00Z' });
    expect(await send('commented', said('1', 'still slow'), before)).toMatchObject({ disposition: 'routed' });
    await until(async () => tickets.labels.length > 0);
    expect(await results()).toEqual([]);
    expect(await server.rows('select state from conversations')).toEqual([{ state: 'terminal' }]);
    expect(await send('closed')).toMatchObject({ disposition: 'recorded', reason: 'repeated' });
  });

  it('EFF-2 EFF-5 its own comments wake nobody, answered or not, and those of people do', async () => {
    await send('opened');
    await until(async () => (await results()).length === 1);
    expect(await server.write('desk', 'ticket_comment', SUBJECT, { text: 'on it' })).toMatchObject({ is: 'confirmed' });
    tickets.answers = false;
    const lost = server.write('desk', 'ticket_comment', SUBJECT, { text: 'still on it' });
    expect(await lost).toMatchObject({ is: 'unknown' });
    for (const { id, text, client } of tickets.comments)
      expect(await send('commented', said(id, text, client))).toMatchObject({ disposition: 'suppressed' });
    await send('commented', said('9', 'on it'));
    await until(async () => (await results()).length === 2);
    expect(await server.rows('select state from effects')).toEqual([{ state: 'confirmed' }, { state: 'confirmed' }]);
  });
});
