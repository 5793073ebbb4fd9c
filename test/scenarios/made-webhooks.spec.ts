import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createToken } from '../../src/admin/tokens.js';
import { expectSound } from '../core/invariants.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { ConfiguredServer } from './configured-server.js';
import { until } from './server-process.js';

const KEY = Buffer.alloc(32, 6);
const OURS = 'the secret of the sender';

interface Made {
  readonly id: string;
  readonly source: string;
  readonly webhook_url: string;
  readonly webhook_secret: string;
  readonly old_secret_until: string | null;
}

const sign = (body: string, secret: string) => ({ 'x-signature-256': createHmac('sha256', secret).update(body).digest('hex') });

eachDatabase('webhooks that are made through the API', (make) => {
  let test: TestDatabase;
  const servers: ConfiguredServer[] = [];

  const start = async (change: object = {}): Promise<ConfiguredServer> => {
    const server = await ConfiguredServer.start(
      test,
      {
        ...{ database: { url: test.url }, orgs: ['default', 'acme'], runtimes: { echo: { kind: 'echo' } } },
        connections: { tickets: { plugin: 'webhook', secret: OURS } },
        ...change,
      },
      KEY,
    );
    servers.push(server);
    return server;
  };
  const stop = async () => {
    for (const server of servers.splice(0).reverse()) await server.close();
  };
  beforeEach(async () => {
    test = await make.migrated();
  });
  afterEach(async () => {
    if (servers[0]) await expectSound(servers[0].database);
    await stop();
    await test.drop();
  });

  const made = async (server: ConfiguredServer, body: object = {}): Promise<Made> => {
    const answer = await server.ask<Made>('POST', '/v1/webhooks', { name: 'Alerts', source: 'alerts', ...body });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };
  const post = async (server: ConfiguredServer, payload: unknown, headers: (body: string) => object, place = 'default/alerts') => {
    const body = JSON.stringify(payload);
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers(body) }, body };
    const answer = await fetch(`${server.url}/v1/events/${place}`, init);
    return {
      status: answer.status,
      body: (await answer.json()) as { code?: string; duplicate?: boolean; disposition?: string; receipt: string },
    };
  };
  const by = (secret: string) => (body: string) => sign(body, secret);

  it('SIG-1 SIG-2 ADM-3 takes the events of a webhook from the answer that made it on, keeps its secret sealed, and knows it after a restart', async () => {
    const server = await start();
    expect(await post(server, { type: 'a' }, by(OURS))).toMatchObject({ status: 404, body: { code: 'unknown_source' } });
    const { webhook_secret: secret, webhook_url: url, id } = await made(server);
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(url).toBe(`${server.url}/v1/events/default/alerts`);
    expect(await post(server, { type: 'a' }, by(secret))).toMatchObject({
      status: 200,
      body: { disposition: 'unmatched', duplicate: false },
    });
    expect(await post(server, { type: 'a' }, by(secret))).toMatchObject({ status: 200, body: { duplicate: true } });
    expect(await post(server, { type: 'b' }, by(OURS))).toMatchObject({ status: 401, body: { code: 'signature_invalid' } });
    expect(await post(server, { type: 'b' }, () => sign('{"type":"c"}', secret))).toMatchObject({ status: 401 });
    expect(await post(server, { type: 'b' }, () => ({}))).toMatchObject({ status: 401, body: { code: 'signature_missing' } });
    const told = [
      await server.ask('GET', '/v1/webhooks'),
      await server.ask('GET', `/v1/webhooks/${id}`),
      await server.ask('GET', '/v1/audit'),
    ];
    const stored = await server.rows<{ secrets: Buffer; settings: string }>('select secrets, settings from webhooks');
    expect(JSON.stringify(told)).toContain('webhook.create');
    for (const text of [JSON.stringify(told), stored[0]?.settings ?? '', stored[0]?.secrets.toString('latin1')])
      expect(text).not.toContain(secret);
    await stop();
    expect(await post(await start(), { type: 'd' }, by(secret))).toMatchObject({ status: 200 });
  });

  it('SIG-4 both secrets are good while a rotation lasts, the receipt says which it was, and one without overlap ends the old one at once', async () => {
    const server = await start();
    const { id, webhook_secret: first } = await made(server, { webhook_secret: OURS });
    expect(first).toBe(OURS);
    const rotated = await server.ask<Made>('POST', `/v1/webhooks/${id}/rotate-secret`, { overlap: '1h' });
    const second = rotated.body.webhook_secret;
    expect(Date.parse(rotated.body.old_secret_until ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    for (const [type, secret] of [
      ['old', first],
      ['new', second],
    ] as const)
      expect(await post(server, { type }, by(secret))).toMatchObject({ status: 200 });
    expect(await server.rows('select event_key, secret_index from receipts order by id')).toEqual([
      { event_key: 'old', secret_index: 1 },
      { event_key: 'new', secret_index: 0 },
    ]);
    const third = (await server.ask<Made>('POST', `/v1/webhooks/${id}/rotate-secret`, { overlap: '0s' })).body;
    expect(third.old_secret_until).toBeNull();
    for (const secret of [first, second]) expect(await post(server, { type: 'late' }, by(secret))).toMatchObject({ status: 401 });
    expect(await post(server, { type: 'late' }, by(third.webhook_secret))).toMatchObject({ status: 200 });
    expect(await server.ask('POST', `/v1/webhooks/${id}/rotate-secret`, { overlap: '31d' })).toMatchObject({ status: 400 });
    const again = { webhook_secret: third.webhook_secret };
    expect(await server.ask('POST', `/v1/webhooks/${id}/rotate-secret`, again)).toMatchObject({ status: 409 });
  });

  it('ADM-2 ADM-3 an Idempotency-Key makes one webhook, and its second answer has no secret', async () => {
    const server = await start();
    const body = { name: 'Alerts', source: 'alerts' };
    const first = await server.ask<Made>('POST', '/v1/webhooks', body, { key: 'once' });
    const second = await server.ask<Made>('POST', '/v1/webhooks', body, { key: 'once' });
    expect(second).toEqual({ ...first, body: { ...first.body, webhook_secret: null } });
    const kept = await server.rows<{ response: string }>('select response from idempotency_keys');
    expect(JSON.stringify(kept)).not.toContain(first.body.webhook_secret);
  });

  it('AUT-2 ADM-1 refuses names that are taken, settings that cannot work, and secrets that prove nothing, each by its field', async () => {
    const server = await start();
    await made(server);
    const refused = async (body: object) => {
      const answer = await server.ask<{ code: string; errors?: { path: string }[] }>('POST', '/v1/webhooks', {
        name: 'A',
        source: 'a',
        ...body,
      });
      return [answer.status, ...(answer.body.errors ?? []).map(({ path }) => path)];
    };
    expect(await refused({ source: 'ALERTS' })).toEqual([409]);
    expect(await refused({ source: 'tickets' })).toEqual([409]);
    expect(await refused({ source: 'api' })).toEqual([409]);
    expect(await refused({ source: 'no_good' })).toEqual([400, 'source']);
    expect(await refused({ event_key_expr: 'type[', subject_expr: 'nothing(id)', text_expr: 'upper()' })).toEqual([
      ...[422, 'event_key_expr', 'subject_expr', 'text_expr'],
    ]);
    expect(await refused({ event_id_expr: 'id', event_id_header: 'X-Id' })).toEqual([422, 'event_id_expr']);
    expect(await refused({ signature_scheme: 'none' })).toEqual([422, 'signature_scheme']);
    expect(await refused({ signature_scheme: 'stripey' })).toEqual([422, 'signature_scheme']);
    expect(await refused({ signature_scheme: { signature: { header: 'x' }, content: 'fixed' } })).toEqual([
      422,
      'signature_scheme.content',
    ]);
    expect(await refused({ signature_scheme: 7 })).toEqual([400, 'signature_scheme']);
    expect(await refused({ signature_header: 'two words' })).toEqual([400, 'signature_header']);
    expect(await refused({ webhook_secret: 'short' })).toEqual([400, 'webhook_secret']);
    expect(await refused({ signature_scheme: 'standard-webhooks', webhook_secret: 'whsec_%%%%%%%%' })).toEqual([422, 'webhook_secret']);
    expect(await refused({ signature_scheme: 'discord' })).toEqual([422, 'webhook_secret']);
    expect(await refused({ signature_scheme: 'basic', webhook_secret: 'without-a-colon' })).toEqual([422, 'webhook_secret']);
    expect(await refused({ namespace: 'github:1' })).toEqual([400, 'namespace']);
    expect(await server.ask('GET', '/v1/webhooks')).toMatchObject({ body: { items: [{ source: 'alerts' }] } });
  });

  it('IDN-7 a webhook is its organisation’s alone', async () => {
    const server = await start();
    const { id, webhook_secret: secret } = await made(server);
    const { token } = await server.database.transaction((tx) => createToken(tx, { org: 'acme', name: 'acme', role: 'admin' }));
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', '', undefined],
      ['POST', '/rotate-secret', {}],
      ['POST', '/test', {}],
      ['GET', '/signature', undefined],
    ] as const)
      expect(await server.ask(method, `/v1/webhooks/${id}${path}`, body, { token })).toMatchObject({ status: 404 });
    expect(await server.ask('GET', '/v1/webhooks', undefined, { token })).toMatchObject({ body: { items: [] } });
    expect(await post(server, { type: 'a' }, by(secret), 'acme/alerts')).toMatchObject({ status: 404 });
    // The same name is free there, with a secret of its own.
    const other = await server.ask<Made>('POST', '/v1/webhooks', { name: 'Alerts', source: 'alerts' }, { token });
    expect(await post(server, { type: 'a' }, by(secret), 'acme/alerts')).toMatchObject({ status: 401 });
    expect(await post(server, { type: 'a' }, by(other.body.webhook_secret), 'acme/alerts')).toMatchObject({ status: 200 });
    // A sealed secret is worth nothing in another row.
    await server.database.transaction((tx) =>
      tx.run('update webhooks set secrets = (select secrets from webhooks where id = ?), revision = revision + 1 where id = ?', [
        ...[other.body.id, id],
      ]),
    );
    await server.ask('POST', `/v1/webhooks/${id}/test`, {});
    expect(await post(server, { type: 'b' }, by(other.body.webhook_secret))).toMatchObject({ status: 404 });
  });

  it('SIG-1 a disabled webhook is none to whoever sends, and a deleted one leaves its receipts', async () => {
    const server = await start();
    const { id, webhook_secret: secret } = await made(server);
    const { body } = await post(server, { type: 'a' }, by(secret));
    expect(await server.ask('PATCH', `/v1/webhooks/${id}`, { enabled: false })).toMatchObject({ status: 200, body: { enabled: false } });
    expect(await post(server, { type: 'b' }, by(secret))).toMatchObject({ status: 404, body: { code: 'unknown_source' } });
    expect(await server.ask('POST', `/v1/webhooks/${id}/test`, {})).toMatchObject({ status: 409 });
    await server.ask('PATCH', `/v1/webhooks/${id}`, { enabled: true, event_key_expr: 'kind', signature_header: 'X-Proof' });
    expect(await post(server, { kind: 'c' }, by(secret))).toMatchObject({ status: 401 });
    expect(await post(server, { kind: 'c' }, (text) => ({ 'x-proof': sign(text, secret)['x-signature-256'] }))).toMatchObject({
      status: 200,
    });
    expect(await server.ask('DELETE', `/v1/webhooks/${id}`)).toMatchObject({ status: 204 });
    expect(await post(server, { kind: 'd' }, by(secret))).toMatchObject({ status: 404 });
    expect(await server.ask('DELETE', `/v1/webhooks/${id}`)).toMatchObject({ status: 404 });
    expect(await server.ask('GET', `/v1/receipts/${body.receipt}`)).toMatchObject({ status: 200, body: { source: 'alerts' } });
    expect((await server.rows<{ secrets: Buffer }>('select secrets from webhooks')).map(({ secrets }) => secrets.length)).toEqual([0]);
    // Its name is free.
    expect((await made(server)).id).not.toBe(id);
  });

  it('AUT-2 ACC-2 an automation listens to it, and what was accepted is done although the webhook was deleted meanwhile', async () => {
    const idle = await start({ workers: { concurrency: 0 } });
    const { id, webhook_secret: secret } = await made(idle, { subject_expr: 'alert', text_expr: 'said' });
    const spec = {
      ...{ name: 'watch', prompt: 'Look at it.', runtime: 'echo' },
      triggers: [{ type: 'event', source: 'alerts', on: ['fired'], destination: 'continue_conversation' }],
    };
    expect(await idle.ask('POST', '/v1/automations', spec)).toMatchObject({ status: 201 });
    expect(await idle.ask('GET', '/v1/capabilities')).toMatchObject({ body: { automations: { event_sources: ['alerts', 'tickets'] } } });
    expect(await post(idle, { type: 'fired', alert: 'A-1', said: 'It burns' }, by(secret))).toMatchObject({
      status: 200,
      body: { disposition: 'routed' },
    });
    expect(await idle.ask('DELETE', `/v1/webhooks/${id}`)).toMatchObject({ status: 204 });
    await stop();
    const server = await start();
    const turns = () => server.rows<{ result: string }>("select result from turns where state = 'done'");
    await until(async () => (await turns()).length === 1);
    expect((await turns())[0]?.result).toContain('It burns');
    expect(await server.rows('select parked from queues where parked is not null')).toEqual([]);
  });

  it('AUT-2 a route of the configuration gets the events of a webhook that is made later', async () => {
    const server = await start({
      workspaces: { main: { runtime: 'echo' } },
      routes: { watch: { webhook: 'alerts', workspace: 'main', on: ['fired'] } },
    });
    const { id, webhook_secret: secret } = await made(server, { subject_expr: 'alert' });
    const event = { type: 'fired', alert: 'A-1', text: 'It burns' };
    expect(await server.ask('POST', `/v1/webhooks/${id}/test`, { payload: event })).toMatchObject({
      body: { accepted: true, events: [{ matched: 1, subject: { namespace: 'webhook:alerts', key: 'A-1' } }] },
    });
    expect(await post(server, event, by(secret))).toMatchObject({
      body: { disposition: 'routed', duplicate: false, deliveries: [{ route: 'watch' }] },
    });
    await until(async () => (await server.rows("select 1 as one from turns where state = 'done'")).length === 1);
  });

  it('SIG-2 a test signs as the sender of any scheme does, is taken as the endpoint takes it, and leaves nothing behind', async () => {
    const server = await start();
    const presets = (await server.ask<{ name: string; algorithm: string }[]>('GET', '/v1/webhooks/presets')).body;
    expect(presets.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['github', 'stripe', 'standard-webhooks', 'hmac-sha256-hex', 'basic']),
    );
    const outcomes: Record<string, unknown> = {};
    for (const [index, { name, algorithm }] of presets.entries()) {
      if (algorithm === 'ed25519') continue;
      const { id } = await made(server, { source: `s-${index}`, signature_scheme: name, event_key_expr: 'type', event_id_expr: 'id' });
      const { body } = await server.ask<{ accepted: boolean; events: object[] }>('POST', `/v1/webhooks/${id}/test`, {
        payload: { type: 'x.y', id: 'e1' },
      });
      outcomes[name] = body.accepted && body.events.length === 1;
    }
    expect(Object.entries(outcomes).filter(([, isTaken]) => isTaken !== true)).toEqual([]);
    expect(Object.keys(outcomes).length).toBeGreaterThan(20);
    const { id } = await made(server, { event_id_header: 'X-Id', event_key_header: 'X-Kind', format: null });
    expect(await server.ask('POST', `/v1/webhooks/${id}/test`, { event: 'fired' })).toMatchObject({
      body: { accepted: true, delivery_id: expect.stringMatching(/^test-/), events: [{ event: 'fired' }] },
    });
    await server.ask('PATCH', `/v1/webhooks/${id}`, { event_id_header: null, event_id_expr: 'nowhere' });
    expect(await server.ask('POST', `/v1/webhooks/${id}/test`, {})).toMatchObject({ body: { accepted: false, code: 'invalid_payload' } });
    const { id: cloud } = await made(server, { source: 'cloud', format: 'cloudevents' });
    expect(await server.ask('POST', `/v1/webhooks/${cloud}/test`, {})).toMatchObject({ body: { events: [{ event: 'throughline.test' }] } });
    const key = Buffer.alloc(32, 1).toString('hex');
    const { id: asymmetric } = await made(server, { source: 'keys', signature_scheme: 'discord', webhook_secret: key });
    expect(await server.ask('POST', `/v1/webhooks/${asymmetric}/test`, {})).toMatchObject({ status: 409 });
    for (const table of ['receipts', 'conversations', 'subjects'])
      expect(await server.rows(`select count(*) as n from ${table}`)).toEqual([{ n: 0 }]);
  });

  it('SIG-1 ADM-1 shows admins how refused requests were signed: names, lengths and formats, and nothing of what they say', async () => {
    const server = await start();
    const { id, webhook_secret: secret } = await made(server, { signature_scheme: 'standard-webhooks' });
    const wrong = `v1,${'A'.repeat(43)}=`;
    const old = String(Math.floor(Date.now() / 1000) - 900);
    await post(server, { type: 'a' }, () => ({ 'webhook-id': 'm-secret-id', 'webhook-timestamp': old, 'webhook-signature': wrong }));
    await post(server, { type: 'a' }, () => ({ 'x-hub-signature-256': 'sha256=00' }));
    const { body } = await server.ask<{ refused: object[] }>('GET', `/v1/webhooks/${id}/signature`);
    expect(body).toMatchObject({
      expected: {
        ...{ algorithm: 'hmac-sha256', header: 'webhook-signature', prefix: 'v1,', encoding: 'base64', characters: 44 },
        ...{ id_header: 'webhook-id', timestamp: 'header webhook-timestamp', tolerance_seconds: 300, content: '{id}.{timestamp}.{body}' },
      },
      refused: [
        { code: 'signature_missing', headers: expect.arrayContaining(['x-hub-signature-256']), signature: { lines: 0, characters: null } },
        {
          ...{ code: 'signature_invalid', body_bytes: 12, signature: { lines: 1, characters: 47, format: 'base64', has_prefix: true } },
          ...{ id: { characters: 11 }, timestamp: { format: 'digits' } },
        },
      ],
    });
    for (const text of [secret, wrong, 'm-secret-id', old]) expect(JSON.stringify(body)).not.toContain(text);
    for (let more = 0; more < 20; more++) await post(server, { type: 'a' }, () => ({}));
    expect((await server.ask<{ refused: object[] }>('GET', `/v1/webhooks/${id}/signature`)).body.refused).toHaveLength(10);
    const { token } = await server.database.transaction((tx) => createToken(tx, { org: 'default', name: 'op', role: 'operator' }));
    expect(await server.ask('GET', `/v1/webhooks/${id}/signature`, undefined, { token })).toMatchObject({ status: 403 });
  });

  it('ADM-1 a connection of the configuration goes before a webhook of its name', async () => {
    const server = await start();
    const { webhook_secret: secret } = await made(server);
    await stop();
    const later = await start({ connections: { alerts: { plugin: 'webhook', secret: OURS } } });
    expect(await post(later, { type: 'a' }, by(secret))).toMatchObject({ status: 401 });
    expect(await post(later, { type: 'a' }, by(OURS))).toMatchObject({ status: 200 });
  });
});

/** SQLite has one server. */
eachDatabase('webhooks between two replicas', (make) => {
  it('SIG-1 one that is made, rotated or deleted on one replica is so on the other, without a restart', async () => {
    const test = await make.migrated();
    if (test.name === 'sqlite') return test.drop();
    const config = { database: { url: test.url }, runtimes: { echo: { kind: 'echo' } } };
    const [a, b] = [
      await ConfiguredServer.start(test, { ...config, server: { replica: 'a' } }, KEY),
      await ConfiguredServer.start(test, { ...config, server: { replica: 'b' } }, KEY),
    ] as const;
    const { body: webhook } = await a.ask<Made>('POST', '/v1/webhooks', { name: 'Alerts', source: 'alerts' });
    let count = 0;
    const status = async (secret: string) => {
      const body = JSON.stringify({ type: `t${++count}` });
      const headers = { 'content-type': 'application/json', ...sign(body, secret) };
      return (await fetch(`${b.url}/v1/events/default/alerts`, { method: 'POST', headers, body })).status;
    };
    const before = Date.now();
    await until(async () => (await status(webhook.webhook_secret)) === 200);
    expect(Date.now() - before).toBeLessThan(4_000);
    const { body: rotated } = await a.ask<Made>('POST', `/v1/webhooks/${webhook.id}/rotate-secret`, { overlap: '0s' });
    await until(async () => (await status(webhook.webhook_secret)) === 401);
    expect(await status(rotated.webhook_secret)).toBe(200);
    await a.ask('DELETE', `/v1/webhooks/${webhook.id}`);
    await until(async () => (await status(rotated.webhook_secret)) === 404);
    await a.close();
    await b.close();
    return test.drop();
  });
});
