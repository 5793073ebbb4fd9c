import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { expectSound } from '../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { fixtureText } from '../plugins/golden.js';
import { ConfiguredServer } from './configured-server.js';
import { until } from './server-process.js';

const KEY = Buffer.alloc(32, 6);
const SECRET = 'a secret of one sender';
const WHSEC = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

interface Answer {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly duplicate?: boolean;
    readonly disposition?: string;
    readonly reason?: string | null;
    readonly deliveries?: readonly { readonly conversation: string }[];
    readonly events?: readonly Answer['body'][];
  };
}

type Headers = Readonly<Record<string, string>>;

const CONFIG = {
  connections: {
    gitlab: { plugin: 'webhook', secret: SECRET, signature: 'gitlab-token' },
    stripe: { plugin: 'webhook', secret: SECRET, signature: 'stripe', subject: 'data.object.customer' },
    sentry: { plugin: 'webhook', secret: SECRET, signature: 'sentry' },
    hooks: { plugin: 'webhook', secret: WHSEC, signature: 'standard-webhooks', text: 'data.text' },
    cloud: { plugin: 'webhook', secret: SECRET, signature: 'token', signatureHeader: 'x-cloud-token', format: 'cloudevents' },
    desk: {
      ...{ plugin: 'webhook', secret: SECRET, uniqueBodies: true },
      signature: {
        ...{ algorithm: 'hmac-sha512', signature: { header: 'x-desk-signature', pairs: ';', key: 'mac', encoding: 'base64' } },
        ...{ timestamp: { pair: 'at', unit: 'ms' }, content: '{timestamp}/{body}' },
      },
      ...{ eventKey: ['kind', 'what'], deliveryId: { header: 'x-desk-id' }, subject: 'ticket', text: 'said', occurredAt: 'when' },
      ...{ terminal: "what == 'closed'", open: "what == 'reopened'", author: '{id: who, name: who, bot: who == `"robot"`}' },
    },
  },
  runtimes: { echo: { kind: 'echo' } },
  workspaces: { main: { runtime: 'echo' } },
  routes: {
    ...Object.fromEntries(
      ['gitlab', 'stripe', 'sentry', 'hooks', 'cloud'].map((connection) => [connection, { connection, workspace: 'main' }]),
    ),
    desk: { connection: 'desk', workspace: 'main', on: ['ticket.*'], filter: "!regex(said || '', '(?i)^(test|ping)\\b')" },
  },
};

const hmac = (algorithm: string, content: string, encoding: 'hex' | 'base64', key: string | Buffer = SECRET) =>
  createHmac(algorithm, key).update(content).digest(encoding);

/** How each of the senders signs. */
const SIGNERS: Readonly<Record<string, (body: string, id: string) => Headers>> = {
  gitlab: (_, id) => ({ 'x-gitlab-token': SECRET, 'idempotency-key': id }),
  stripe: (body) => {
    const now = Math.floor(Date.now() / 1000);
    return { 'stripe-signature': `t=${now},v1=${hmac('sha256', `${now}.${body}`, 'hex')}` };
  },
  sentry: (body, id) => ({ 'sentry-hook-signature': hmac('sha256', body, 'hex'), 'request-id': id, 'sentry-hook-resource': 'issue' }),
  hooks: (body, id) => {
    const now = String(Math.floor(Date.now() / 1000));
    const signature = hmac('sha256', `${id}.${now}.${body}`, 'base64', Buffer.alloc(32, 7));
    return { 'webhook-id': id, 'webhook-timestamp': now, 'webhook-signature': `v1,${signature}` };
  },
  cloud: () => ({ 'x-cloud-token': SECRET }),
  desk: (body, id) => {
    const now = Date.now();
    return { 'x-desk-id': id, 'x-desk-signature': `at=${now};mac=${hmac('sha512', `${now}/${body}`, 'base64')}` };
  },
};

eachDatabase('webhooks of any sender', (make) => {
  let test: TestDatabase;
  let server: ConfiguredServer;

  const start = async () => {
    server = await ConfiguredServer.start(test, CONFIG, KEY);
  };
  beforeEach(async () => {
    test = await make.migrated();
    await start();
  });
  afterEach(async () => {
    await expectSound(server.database);
    await server.close();
    await test.drop();
  });

  async function post(source: string, body: string, headers: Headers): Promise<Answer> {
    const answer = await fetch(`${server.url}/v1/events/default/${source}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  }

  const send = (source: string, payload: unknown, id: string) => {
    const body = JSON.stringify(payload);
    return post(source, body, SIGNERS[source]?.(body, id) ?? {});
  };
  const conversationOf = ({ body }: Answer) => body.deliveries?.[0]?.conversation;
  const results = async () =>
    (await server.rows<{ result: string }>("select result from turns where state = 'done' order by started_at, conversation, token")).map(
      ({ result }) => result,
    );
  const body = (name: string) => (JSON.parse(fixtureText(`custom/${name}.json`)) as { body: object }).body;

  it('SIG-2 IDN-3 ACC-2 TRM-6 a ticket of a sender that only the configuration knows: once each, over a restart, to its end and beyond', async () => {
    const ticket = (what: string, said: string, when: string, who = 'ada') => ({ kind: 'ticket', what, ticket: 'T-1', said, when, who });
    const opened = await send('desk', ticket('opened', 'It is slow', '2026-01-01T10:00:00Z'), 'd1');
    expect(opened).toMatchObject({ status: 200, body: { disposition: 'routed', duplicate: false } });
    await until(async () => (await results()).length === 1);
    expect(await send('desk', ticket('opened', 'It is slow', '2026-01-01T10:00:00Z'), 'd1')).toMatchObject({ body: { duplicate: true } });
    // The id is not signed here: the captured bytes under another one are the same event.
    expect(await send('desk', ticket('opened', 'It is slow', '2026-01-01T10:00:00Z'), 'd9')).toMatchObject({ body: { duplicate: true } });
    expect(await send('desk', ticket('commented', 'PING from a probe', '2026-01-01T10:01:00Z'), 'd2')).toMatchObject({
      body: { disposition: 'unmatched' },
    });
    expect(await send('desk', ticket('commented', 'beep', '2026-01-01T10:02:00Z', 'robot'), 'd3')).toMatchObject({
      body: { disposition: 'ignored', reason: 'author_bot' },
    });

    await server.close();
    await start();
    const commented = await send('desk', ticket('commented', 'Since monday', '2026-01-01T11:00:00Z'), 'd4');
    expect(conversationOf(commented)).toBe(conversationOf(opened));
    await until(async () => (await results()).length === 2);
    expect(await results()).toEqual(['It is slow', 'Since monday']);
    expect(await send('desk', ticket('opened', 'It is slow', '2026-01-01T10:00:00Z'), 'd1')).toMatchObject({ body: { duplicate: true } });

    expect(await send('desk', ticket('closed', '', '2026-01-02T10:00:00Z'), 'd5')).toMatchObject({ body: { disposition: 'lifecycle' } });
    expect(await send('desk', ticket('commented', 'Anybody?', '2026-01-02T11:00:00Z'), 'd6')).toMatchObject({
      body: { disposition: 'ignored', reason: 'terminal' },
    });
    expect(await send('desk', ticket('reopened', 'Still slow', '2026-01-01T12:00:00Z'), 'd7')).toMatchObject({
      body: { disposition: 'ignored' },
    });
    expect(conversationOf(await send('desk', ticket('reopened', 'Slow again', '2026-01-03T10:00:00Z'), 'd8'))).toBe(conversationOf(opened));
    await until(async () => (await results()).length === 3);
    expect((await results())[2]).toBe('Slow again');
  });

  it('SIG-1 SIG-2 every preset lets its sender in, and nobody else; nothing is left behind by them', async () => {
    const senders: readonly [string, object][] = [
      ['gitlab', body('gitlab.issue-hook')],
      ['stripe', body('stripe.invoice-paid')],
      ['sentry', { action: 'created', data: { issue: { id: '7', title: 'TypeError' } } }],
      ['hooks', { type: 'user.created', timestamp: '2026-01-01T00:00:00Z', data: { id: 'u7', text: 'a user' } }],
      ['cloud', { specversion: '1.0', type: 'ticket.updated', source: '/desk', subject: 'T-2', id: '1', data: { text: 'hello' } }],
      ['desk', { kind: 'ticket', what: 'opened', ticket: 'T-3', said: 'hello' }],
    ];
    const type = (source: string): Headers => (source === 'cloud' ? { 'content-type': 'application/cloudevents+json' } : {});
    for (const [source, payload] of senders) {
      const text = JSON.stringify(payload);
      const headers = { ...SIGNERS[source]?.(text, `of ${source}`), ...type(source) };
      const forged = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          /signature|token/.test(name) ? value.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')) : value,
        ]),
      );
      expect([source, await post(source, text, forged)]).toMatchObject([source, { status: 401, body: { code: 'signature_invalid' } }]);
      expect([source, await post(source, text, type(source))]).toMatchObject([
        source,
        { status: 401, body: { code: 'signature_missing' } },
      ]);
      expect(await server.rows('select id from receipts where source = ?', source)).toEqual([]);
      expect([source, await post(source, text, headers)]).toMatchObject([
        source,
        { status: 200, body: { disposition: 'routed', duplicate: false } },
      ]);
      expect([source, await post(source, text, headers)]).toMatchObject([source, { status: 200, body: { duplicate: true } }]);
    }
    await until(async () => (await results()).length === senders.length);
    const subjects = await server.rows<{ namespace: string; key: string }>(
      'select namespace, key from conversations order by namespace, key',
    );
    expect(subjects.map(({ namespace, key }) => `${namespace} ${key}`)).toEqual([
      'webhook:cloud /desk T-2',
      'webhook:desk T-3',
      'webhook:gitlab 42958108#1',
      'webhook:hooks u7',
      'webhook:sentry 7',
      'webhook:stripe cus_NSPHp4fOlXGw8P',
    ]);
  });

  it('ING-1 ACC-1 a batch of CloudEvents is stored whole or not at all, and each of its events once', async () => {
    const event = (id: string, more: object = {}) => ({
      specversion: '1.0',
      type: 'ticket.updated',
      source: '/desk',
      subject: 'T-1',
      id,
      data: { text: `message ${id}` },
      ...more,
    });
    const headers = { ...SIGNERS.cloud?.('', ''), 'content-type': 'application/cloudevents-batch+json' };
    const batch = (...events: object[]) => post('cloud', JSON.stringify(events), headers);
    expect(await batch(event('1'), { ...event('2'), id: '' })).toMatchObject({ status: 400, body: { code: 'invalid_payload' } });
    expect(await server.rows('select id from receipts')).toEqual([]);
    const answer = await batch(event('1'), event('2'), event('1'));
    expect(answer).toMatchObject({
      status: 200,
      body: { duplicate: false, events: [{ duplicate: false }, { duplicate: false }, { duplicate: true }] },
    });
    const binary = {
      ...SIGNERS.cloud?.('', ''),
      'ce-specversion': '1.0',
      'ce-type': 'ticket.updated',
      'ce-source': '/desk',
      'ce-subject': 'T-1',
      'ce-id': '3',
    };
    expect(await post('cloud', JSON.stringify({ text: 'message 3' }), binary)).toMatchObject({ body: { disposition: 'routed' } });
    await until(async () => (await server.rows("select sequence from deliveries where state <> 'completed'")).length === 0);
    const said = (await results()).join('\n');
    for (const id of ['1', '2', '3']) expect(said.split(`message ${id}`)).toHaveLength(2);
  });
});
