import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { closing, comment, event, prompt, route } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

const cursor = (...position: readonly number[]) => Buffer.from(JSON.stringify(position)).toString('base64url');
const ids = (items: { id: string }[]) => items.map(({ id }) => id);

eachDatabase('the lists of the admin API', (make) => {
  let host: AdminHost;
  const conversations: string[] = [];
  beforeAll(async () => {
    host = await AdminHost.start(make, route(), route({ name: 'never', on: ['nothing'] }));
    const answers = await host.core.admitAll(
      ...['a', 'b', 'c', 'd', 'e'].map((key) => comment(key, `about ${key}`, { title: `Title of ${key}` })),
    );
    conversations.push(...answers.map((answer) => delivered(answer).conversation));
    await host.core.admitAll(
      comment('a', 'again'),
      comment('a', 'and again'),
      closing('b', 5),
      event({ kind: 'ignored', reason: 'bot_message', subject: null }),
    );
  });
  afterAll(() => host.close());

  it('ADM-2 pages are stable, complete and without repeats, whatever arrives in between', async () => {
    for (const list of ['conversations', 'deliveries', 'receipts']) {
      const whole = ids((await host.get(`/v1/${list}`)).body.items);
      expect(whole.length).toBeGreaterThan(4);
      for (const limit of [1, 2, 3]) expect(ids(await host.walk(`/v1/${list}`, limit))).toEqual(whole);
    }
    const first = (await host.get('/v1/receipts?limit=2')).body;
    await host.core.admit(comment('f'));
    const second = (await host.get(`/v1/receipts?limit=2&cursor=${first.next_cursor}`)).body;
    expect(Number(second.items[0].id)).toBe(Number(first.items[1].id) - 1);
  });

  it('ADM-2 receipts and deliveries come newest first, and the deliveries of one conversation too', async () => {
    const receipts = ids((await host.get('/v1/receipts')).body.items).map(Number);
    expect(receipts).toEqual(receipts.toSorted((a, b) => b - a));
    const of = `/v1/deliveries?conversation=${conversations[0]}`;
    expect((await host.get(of)).body.items.map(({ sequence }: { sequence: number }) => sequence)).toEqual([3, 2, 1]);
    expect(ids(await host.walk(of, 1))).toEqual(ids((await host.get(`/v1/conversations/${conversations[0]}/deliveries`)).body.items));
  });

  it('ADM-2 what a query should not have is refused with its path', async () => {
    const refused: readonly (readonly [string, string])[] = [
      ['/v1/conversations?limit=0', 'limit'],
      ['/v1/conversations?limit=201', 'limit'],
      ['/v1/conversations?limit=many', 'limit'],
      ['/v1/conversations?limit=1&limit=2', 'limit'],
      ['/v1/conversations?cursor=nonsense', 'cursor'],
      ['/v1/deliveries?cursor=WzFd', 'cursor'],
      ['/v1/deliveries?cursor=WzEsICJhIl0', 'cursor'],
      ['/v1/conversations?state=closed', 'state'],
      ['/v1/conversations?status=busy', 'status'],
      ['/v1/conversations?colour=red', 'colour'],
      [`/v1/conversations/${conversations[0]}?colour=red`, 'colour'],
      ['/v1/conversations?__proto__=x', '__proto__'],
      ['/v1/conversations?constructor=x', 'constructor'],
      ['/v1/receipts?toString=x', 'toString'],
      ['/v1/receipts?hasOwnProperty=x', 'hasOwnProperty'],
      ['/v1/conversations?key=a%00b', 'key'],
      ['/v1/conversations?q=%00', 'q'],
      ['/v1/receipts?reason=%00', 'reason'],
      ['/v1/audit?actor=%00', 'actor'],
      [`/v1/receipts?since=${'9'.repeat(19)}`, 'since'],
      [`/v1/conversations/${conversations[0]}/transcript?cursor=${cursor(1, 2 ** 31)}`, 'cursor'],
      [`/v1/conversations/${conversations[0]}/transcript?cursor=${cursor(2 ** 63, 1)}`, 'cursor'],
      [`/v1/conversations/${conversations[0]}/timeline?cursor=${cursor(1, 2 ** 31, 1, 1)}`, 'cursor'],
      [`/v1/conversations/${conversations[0]}/timeline?cursor=${cursor(1, 1, 1, -(2 ** 31) - 1)}`, 'cursor'],
      ['/v1/deliveries?outcome=fine', 'outcome'],
      ['/v1/receipts?since=yesterday', 'since'],
      ['/v1/receipts?disposition=lost', 'disposition'],
    ];
    for (const [url, path] of refused) {
      const { status, body } = await host.get(url);
      expect([url, status, body.code, body.errors?.[0]?.path]).toEqual([url, 400, 'invalid_input', path]);
    }
  });

  it('ADM-2 cursors with the biggest numbers that a list may hold are read, and end it', async () => {
    const [greatest, big] = [Number.MAX_SAFE_INTEGER, 2 ** 31 - 1];
    for (const [list, position] of [
      ['transcript', [greatest, big]],
      ['timeline', [greatest, big, greatest, big]],
      ['turns', [-greatest]],
      ['deliveries', [-greatest]],
    ] as const) {
      const { status, body } = await host.get(`/v1/conversations/${conversations[0]}/${list}?cursor=${cursor(...position)}`);
      expect([list, status, body.items]).toEqual([list, 200, []]);
    }
  });

  it('ADM-2 what a body should not have is refused with its path', async () => {
    const terminate = `/v1/conversations/${conversations[0]}/terminate`;
    for (const [body, path] of [
      ['{"constructor":1}', 'constructor'],
      ['{"toString":1}', 'toString'],
      ['{"colour":1}', 'colour'],
      ['{"reason":"a\\u0000b"}', 'reason'],
      ['{"reason":"a\\ud800"}', 'reason'],
    ]) {
      const answer = await host.post(terminate, body);
      expect([body, answer.status, answer.body.errors?.[0]?.path]).toEqual([body, 400, path]);
    }
    expect((await host.post(terminate, '{"__proto__":{}}')).status).toBe(400);
    const [delivery] = (await host.get(`/v1/deliveries?conversation=${conversations[0]}`)).body.items;
    const skip = await host.post(`/v1/deliveries/${delivery.id}/skip`, { reason: '\0' });
    expect([skip.status, skip.body.errors[0].path]).toEqual([400, 'reason']);
  });

  it('ADM-2 ids that cannot be ids are not found', async () => {
    for (const url of [
      '/v1/conversations/x',
      `/v1/conversations/${'a'.repeat(600)}`,
      '/v1/deliveries/1',
      '/v1/receipts/abc',
      '/v1/receipts/99999999999999999',
    ])
      expect([url, (await host.get(url)).status]).toEqual([url, 404]);
  });

  it('ADM-2 conversations are found by state, status, workspace, namespace, key and a part of their text', async () => {
    const [a, b] = conversations;
    const found = async (query: string) => ids((await host.get(`/v1/conversations?${query}`)).body.items);
    expect(await found('state=terminal')).toEqual([b]);
    expect(await found('key=a')).toEqual([a]);
    expect(await found('namespace=tracker:acme&key=a')).toEqual([a]);
    expect(await found('namespace=tracker:other')).toEqual([]);
    expect(await found('workspace=elsewhere')).toEqual([]);
    expect(await found('q=TITLE%20OF%20a')).toEqual([a]);
    expect(await found('q=%25')).toEqual([]);
    expect(await found('status=queued')).toContain(a);
    expect(await found('status=paused')).toEqual([]);
  });

  it('ADM-2 deliveries are found by state and outcome, and read as they are documented', async () => {
    const { items } = (await host.get('/v1/deliveries?state=completed&outcome=retired')).body;
    expect(items).toHaveLength(1);
    expect(items[0]).toEqual({
      ...{ id: `${conversations[1]}.1`, conversation: conversations[1], receipt: expect.any(String), route: 'triage', sequence: 1 },
      ...{
        kind: 'prompt',
        state: 'completed',
        outcome: 'retired',
        reason: null,
        attempts: 0,
        interruptions: 0,
        due_at: null,
        failure: null,
      },
      ...{ trust: 'untrusted', source: 'tracker', event_key: 'comment.created' },
      ...{ received_at: expect.stringMatching(/^\d{4}-.*Z$/), completed_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect((await host.get(`/v1/deliveries/${items[0].id}`)).body).toEqual(items[0]);
    expect((await host.get('/v1/deliveries?state=held')).body.items).toEqual([]);
  });

  it('ADM-2 receipts are found by source, disposition, reason, delivery id and time', async () => {
    const found = async (query: string) => (await host.get(`/v1/receipts?${query}`)).body.items;
    const [ignored] = await found('disposition=ignored');
    expect(ignored).toMatchObject({ reason: 'bot_message', matched: 0, source: 'tracker', repeats: { duplicates: 0, conflicts: 0 } });
    expect(ids(await found('reason=bot_message'))).toEqual([ignored.id]);
    expect(ids(await found(`delivery_id=${ignored.delivery_id}`))).toEqual([ignored.id]);
    expect(await found('source=nowhere')).toEqual([]);
    expect(ids(await found(`since=${ignored.received_at}`))).toContain(ignored.id);
    expect(await found('since=2999-01-01T00:00:00Z')).toEqual([]);
  });

  it('ADM-2 the configuration is listed in its own order, page by page', async () => {
    const routes = (await host.get('/v1/routes')).body.items.map(({ name }: { name: string }) => name);
    expect(routes).toEqual(['triage', 'never']);
    expect((await host.walk('/v1/routes', 1)).map(({ name }) => name)).toEqual(routes);
  });

  it('ADM-3 connections tell where they are and how many secrets they have, and never a secret', async () => {
    const { items } = (await host.get('/v1/connections')).body;
    expect(items).toEqual([
      {
        ...{ name: 'tracker', org: 'default', plugin: 'fake', source: 'public', endpoint: '/v1/events/default/tracker', secrets: 2 },
        ...{ sources: [], gap: null },
      },
    ]);
    expect((await host.get('/v1/plugins')).body.items).toEqual([{ name: 'fake', api_version: 1, transports: ['webhook'], runtimes: [] }]);
    expect((await host.get('/v1/capabilities')).body).toMatchObject({ version: '1.2.3', orgs: ['default', 'acme'], role: 'admin' });
  });

  it('a prompt that is only a key of the subject is no conversation of another subject', async () => {
    const { conversation } = delivered(await host.core.admit(event(prompt('a%', 'like a pattern'))));
    expect(ids((await host.get('/v1/conversations?q=a%25')).body.items)).toEqual([conversation]);
  });

  it('a search of conversations goes on behind what one page looks at', async () => {
    const id = `substr('00000000-0000-5000-8000-000000000000', 1, 36 - length(cast(i as text))) || cast(i as text)`;
    const uuid = host.core.database.dialect.name === 'sqlite' ? id : `cast(${id} as uuid)`;
    await host.change(
      `insert into conversations (id, org, namespace, key, scope, scope_name, workspace, folder, lifecycle, state, created_at, updated_at)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
       select ${uuid}, 'default', 'crowd', cast(i as text), 'subject', '', 'main', 'crowd-' || cast(i as text), 'follow', 'open',
         cast(4000000000000 as bigint) + i, 1 from n`,
    );
    try {
      for (const search of ['q=title%20of%20a', 'status=queued', 'state=terminal', 'key=a']) {
        const { body } = await host.get(`/v1/conversations?${search}`);
        expect([search, body.items, typeof body.next_cursor]).toEqual([search, [], 'string']);
        expect((await host.walk(`/v1/conversations?${search}`, 10)).length).toBeGreaterThan(0);
      }
      expect(ids((await host.get('/v1/conversations?namespace=tracker:acme&key=a')).body.items)).toEqual([conversations[0]]);
    } finally {
      await host.change("delete from conversations where namespace = 'crowd'");
    }
  });

  it('a search of the ledger goes on behind what one page looks at', async () => {
    const gap = 50_000;
    const isSqlite = host.core.database.dialect.name === 'sqlite';
    await host.change(
      isSqlite ? `update sqlite_sequence set seq = ${gap} where name = 'receipts'` : `alter sequence receipts_id_seq restart with ${gap}`,
    );
    const [ignored] = (await host.walk('/v1/receipts?reason=bot_message', 10)) as [{ id: string; delivery_id: string }];
    await host.core.admit(comment('z'));
    for (const search of [`delivery_id=${ignored.delivery_id}`, `delivery_id=${ignored.delivery_id}&source=tracker`])
      expect(ids((await host.get(`/v1/receipts?${search}`)).body.items)).toEqual([ignored.id]);
    await host.change('update receipts set identity = ? where id = ?', Buffer.from('of a source that is no more'), Number(ignored.id));
    expect(ids(await host.walk(`/v1/receipts?delivery_id=${ignored.delivery_id}`, 10))).toEqual([ignored.id]);
    for (const search of ['/v1/receipts?reason=bot_message', '/v1/deliveries?outcome=retired']) {
      const first = (await host.get(search)).body;
      expect([first.items, typeof first.next_cursor]).toEqual([[], 'string']);
      expect(await host.walk(search, 10)).toHaveLength(1);
    }
  });
});
