import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { comment, route } from '../core/builders.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('notices through the admin API', (make) => {
  let host: AdminHost;
  beforeAll(async () => {
    const authors = { allowSelf: false, allowBots: false, allow: ['lin'] };
    host = await AdminHost.start(make, route({ authors }), route({ name: 'quiet', on: ['issue.*'], authors }));
  });
  afterAll(() => host.close());

  it('ACC-6 who was refused is listed once a day, newest first, with the routes and the receipt that say why', async () => {
    const from = (id: string) => comment('T-1', 'let me in', { author: { id, name: `${id} of elsewhere`, isBot: false } });
    const { receipt } = await host.core.admit(from('mallory'));
    await host.core.admit(from('mallory'));
    await host.core.admit(from('eve'));
    const { status, body } = await host.get('/v1/notices');
    expect([status, body.items.map(({ author }: { author: { id: string } }) => author.id)]).toEqual([200, ['eve', 'mallory']]);
    expect(body.items[1]).toEqual({
      at: (await host.get(`/v1/receipts/${receipt}`)).body.received_at,
      source: 'tracker',
      author: { id: 'mallory', name: 'mallory of elsewhere' },
      event_key: 'comment.created',
      receipt,
      routes: ['triage'],
    });
    const page = await host.get('/v1/notices?limit=1');
    expect(page.body.items).toHaveLength(1);
    const rest = await host.get(`/v1/notices?limit=1&cursor=${page.body.next_cursor}`);
    expect(rest.body).toMatchObject({ items: [{ author: { id: 'mallory' } }], next_cursor: null });
    expect((await host.get('/v1/notices?author=eve&source=tracker')).body.items).toHaveLength(1);
    expect((await host.get('/v1/notices', { token: null })).status).toBe(401);
  });
});
