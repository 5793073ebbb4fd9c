import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { comment, route } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('aliases through the admin API', (make) => {
  let host: AdminHost;
  beforeAll(async () => {
    host = await AdminHost.start(make, route());
  });
  afterAll(() => host.close());

  it('IDN-6 an alias is bound, listed and removed, and each is in the audit log', async () => {
    const { conversation } = delivered(await host.core.admit(comment('A')));
    const url = `/v1/conversations/${conversation}/aliases`;
    const alias = { namespace: 'tracker:acme', key: 'acme/B#1' };
    const bound = await host.post(url, alias);
    const listed = { items: [{ ...alias, bound_by: expect.any(String), bound_at: expect.stringMatching(/Z$/) }] };
    expect([bound.status, bound.body, (await host.get(url)).body]).toEqual([201, listed, listed]);
    expect(delivered(await host.core.admit(comment('acme/B#1')))).toMatchObject({ conversation });
    const query = `namespace=${encodeURIComponent(alias.namespace)}&key=${encodeURIComponent(alias.key)}`;
    expect(await host.delete(`${url}?${query}`)).toMatchObject({ status: 200, body: { items: [] } });
    expect(await host.delete(`${url}?${query}`)).toMatchObject({ status: 404 });
    const audit = (await host.get('/v1/audit?limit=3')).body.items;
    expect(audit.map(({ action }: { action: string }) => action)).toEqual([
      'conversation.unalias',
      'conversation.unalias',
      'conversation.alias',
    ]);
    expect(JSON.stringify(audit)).toContain('acme/B#1');
  });

  it('IDN-6 a subject that is at work by itself is refused with 409, a blank or missing one with 400', async () => {
    const [a, b] = [delivered(await host.core.admit(comment('C'))), delivered(await host.core.admit(comment('D')))];
    const url = `/v1/conversations/${a.conversation}/aliases`;
    const refused = await host.post(url, { namespace: 'tracker:acme', key: 'D' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', detail: expect.stringContaining(b.conversation) } });
    expect(await host.post(url, { namespace: 'tracker:acme', key: ' ' })).toMatchObject({ status: 400 });
    expect(await host.delete(url)).toMatchObject({ status: 400 });
  });
});
