import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { comment, route } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('a purge through the admin API', (make) => {
  let host: AdminHost;
  beforeAll(async () => {
    host = await AdminHost.start(make, route());
  });
  afterAll(() => host.close());

  it('ADM-6 needs purge=true, an admin, and a conversation that is at rest', async () => {
    const { conversation } = delivered(await host.core.admit(comment('A', 'words', { title: 'A title' })));
    const url = `/v1/conversations/${conversation}`;
    const { status, body } = await host.delete(url);
    expect([status, body.errors]).toEqual([400, [{ path: 'purge', message: expect.stringContaining('should be true') }]]);
    const { token } = await host.token('operator');
    expect(await host.delete(`${url}?purge=true`, { token })).toMatchObject({ status: 403 });
    expect(await host.delete(`${url}?purge=true`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('terminate it') },
    });
    await host.post(`${url}/terminate`);
    expect(await host.delete(`${url}?purge=true`)).toMatchObject({ status: 200, body: { id: conversation, title: null, session: null } });
    const [receipt] = (await host.get('/v1/receipts')).body.items;
    expect((await host.get(`/v1/receipts/${receipt.id}`)).body).toMatchObject({ payload: null, title: null, disposition: 'routed' });
    expect(await host.post(`/v1/receipts/${receipt.id}/replay`)).toMatchObject({ status: 409, body: { code: 'payload_unavailable' } });
    const [, asked] = (await host.get('/v1/audit')).body.items;
    expect(asked).toMatchObject({ action: 'conversation.purge' });
  });
});
