import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { comment, route } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('the audit log', (make) => {
  let host: AdminHost;
  let count = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make, route());
  });
  afterAll(() => host.close());

  const conversation = async () => delivered(await host.core.admit(comment(`subject-${++count}`))).conversation;
  const lines = async (target: string) => {
    const { items } = (await host.get(`/v1/audit?target=${target}`)).body;
    return items.map(({ action, detail }: { action: string; detail: { result: string } }) => `${action} ${detail.result}`);
  };

  it('ADM-1 a write that cannot be put into the log is not done', async () => {
    const id = await conversation();
    await host.change('alter table audit rename to audit_away');
    const answers = [
      await host.post(`/v1/conversations/${id}/terminate`),
      await host.post(`/v1/conversations/${id}/messages`, { text: 'hi' }),
      await host.post(`/v1/conversations/${id}/aliases`, { namespace: 'n', key: 'k' }),
    ];
    await host.change('alter table audit_away rename to audit');
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
    expect((await host.get(`/v1/conversations/${id}`)).body).toMatchObject({ state: 'open', queue: { pending: 1 } });
    expect((await host.get(`/v1/conversations/${id}/aliases`)).body.items).toEqual([]);
  });

  it('ADM-1 each write is in the log once, also with a key and when it is refused', async () => {
    const id = await conversation();
    await host.post(`/v1/conversations/${id}/messages`, { text: 'hi' }, { key: `m-${id}` });
    await host.post(`/v1/conversations/${id}/messages`, { text: 'hi' }, { key: `m-${id}` });
    await host.post(`/v1/conversations/${id}/terminate`, {}, { key: `t-${id}` });
    await host.post(`/v1/conversations/${id}/terminate`);
    expect(await lines(id)).toEqual(['conversation.terminate conflict', 'conversation.terminate done', 'conversation.message done']);
  });
});
