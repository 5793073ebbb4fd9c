import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openGap } from '../../src/core/gaps/gaps.js';
import { describeLease, takeLease } from '../../src/core/leases/leases.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('connections by the admin API', (make) => {
  let host: AdminHost;

  beforeAll(async () => {
    host = await AdminHost.start(make);
  });
  afterAll(() => host.close());

  const other = async () => (await host.get('/v1/connections?org=acme')).body.items[0];

  it('ING-6 shows how the sources of a connection stand, on whatever replica, and what may be missing', async () => {
    expect(await other()).toMatchObject({
      ...{ name: 'other', endpoint: null, gap: null },
      sources: [{ kind: 'stream', state: 'idle', detail: null, replica: null, since: null }],
    });
    await host.core.database.transaction(async (tx) => {
      const lease = await takeLease(tx, 'stream:acme/other', host.core.owner);
      if (lease) await describeLease(tx, lease, 'misconfigured', 'the token was revoked');
      await openGap(tx, 'acme', 'other', 1000);
    });
    expect(await other()).toMatchObject({
      sources: [{ kind: 'stream', state: 'misconfigured', detail: 'the token was revoked', replica: 'first', since: expect.any(String) }],
      gap: { since: '1970-01-01T00:00:01.000Z', tries: 0, failure: null },
    });
    expect((await host.get('/metrics')).text).toContain('throughline_sources{state="misconfigured"} 1');
  });

  it('ING-6 a restart takes the source away from whoever has it, and tells all replicas', async () => {
    const told = new Promise<void>((resolve) => host.core.signals.once('sources', () => resolve()));
    const { status, body } = await host.post('/v1/connections/other/restart?org=acme');
    expect([status, body.sources[0].state]).toEqual([200, 'idle']);
    await told;
    expect(await host.core.rows('select owner, token from leases')).toEqual([{ owner: null, token: 2 }]);
    const audit = await host.get('/v1/audit?org=acme');
    expect(audit.body.items[0]).toMatchObject({ action: 'connection.restart', target: 'other' });
  });

  it('ING-6 what takes webhooks only cannot be restarted, and what is not there is not found', async () => {
    const webhooks = await host.post('/v1/connections/tracker/restart');
    expect([webhooks.status, webhooks.body.detail]).toEqual([
      409,
      'the connection tracker takes webhooks only: there is nothing to restart',
    ]);
    expect((await host.post('/v1/connections/other/restart')).status).toBe(404);
    const { token } = await host.token('viewer', 'acme');
    expect((await host.post('/v1/connections/other/restart', undefined, { token })).status).toBe(403);
  });
});
