import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { comment } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { ADMIN_TOKEN, AdminHost } from './admin-host.js';

eachDatabase('the admin API without its database', (make) => {
  let host: AdminHost;
  beforeAll(async () => {
    host = await AdminHost.start(make);
  });
  afterAll(() => host.close());

  it('takes a value that the database refuses for a fault of the request', async () => {
    const refused = Object.assign(new Error('out of range'), {
      code: host.core.database.dialect.name === 'sqlite' ? 'SQLITE_TOOBIG' : '22003',
    });
    const transaction = jest.spyOn(host.core.database, 'transaction').mockRejectedValue(refused);
    const { status, body } = await host.get('/v1/conversations').finally(() => transaction.mockRestore());
    expect([status, body.code]).toEqual([400, 'invalid_input']);
  });

  it('says so, and lets whoever watches go on watching', async () => {
    const { conversation } = delivered(await host.core.admit(comment('1')));
    const { token } = await host.token('viewer');
    const down = Object.assign(new Error('gone'), { code: host.core.database.dialect.name === 'sqlite' ? 'SQLITE_FULL' : 'ECONNREFUSED' });
    const transaction = jest.spyOn(host.core.database, 'transaction').mockRejectedValue(down);
    try {
      for (const answer of [
        await host.get('/v1/conversations', { token: ADMIN_TOKEN }),
        await host.get('/v1/conversations', { token }),
        await host.post(`/v1/conversations/${conversation}/messages`, { text: 'hello' }, { key: 'k' }),
      ])
        expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'store_unavailable', '5']);
      expect((await host.get('/health/ready')).body).toMatchObject({ status: 'not_ready', checks: { database: 'failing' } });
      expect((await host.get('/health/live')).status).toBe(200);
      const { status, text } = await host.get('/metrics');
      expect([status, text]).toEqual([200, expect.stringContaining('throughline_database_up 0')]);
    } finally {
      transaction.mockRestore();
    }
    expect((await host.post(`/v1/conversations/${conversation}/messages`, { text: 'hello' }, { key: 'k' })).status).toBe(202);
    expect((await host.get('/metrics')).text).toContain('throughline_database_up 1');
  });
});
