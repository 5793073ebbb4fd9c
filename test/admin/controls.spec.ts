import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { comment, event, prompt, route } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { AdminHost } from './admin-host.js';

eachDatabase('controls through the admin API', (make) => {
  let host: AdminHost;
  beforeAll(async () => {
    host = await AdminHost.start(make, route(), route({ name: 'silent', source: 'mail', workspace: 'dark' }));
  });
  afterAll(() => host.close());

  it('CTL-1 a thread is asked for, listed with what waits for it, and stands at its conversation', async () => {
    const { conversation } = delivered(await host.core.admit(event(prompt('T-1', 'hello', { title: 'Repair' }))));
    expect((await host.get(`/v1/conversations/${conversation}`)).body.control).toBeNull();
    const { status, body } = await host.post(`/v1/controls/${conversation}/reconcile`);
    const control = { connection: 'chat', parent: 'C1', thread: null, title: 'Repair', url: null, state: 'wanted', fault: null };
    expect([status, body]).toEqual([
      202,
      { conversation, ...control, workspace: 'main', waiting: 1, created_at: expect.stringMatching(/^2.*Z$/) },
    ]);
    expect((await host.get('/v1/controls')).body).toMatchObject({ items: [{ conversation, ...control }], next_cursor: null });
    expect((await host.get(`/v1/conversations/${conversation}`)).body.control).toEqual(control);
    await host.change(
      `update control_bindings set fault = 'forbidden', fault_message = 'no permission', fault_at = 1000 where conversation = ?`,
      conversation,
    );
    const fault = { state: 'forbidden', message: 'no permission', since: '1970-01-01T00:00:01.000Z' };
    expect((await host.get('/v1/controls?fault=forbidden&connection=chat&state=wanted')).body.items).toMatchObject([{ fault }]);
    expect((await host.get('/v1/controls?fault=refused')).body.items).toEqual([]);
    expect((await host.get('/metrics')).text).toMatch(/throughline_errands_waiting 1\n[\s\S]*throughline_controls_faulty 1\n/);
  });

  it('CTL-1 says why there is no thread to be reconciled', async () => {
    const dark = delivered(await host.core.admit(event(prompt('D-1', 'hello'), { source: 'mail' }))).conversation;
    const { status, body } = await host.post(`/v1/controls/${dark}/reconcile`);
    expect([status, body.detail]).toEqual([409, 'this conversation is shown nowhere: the workspace dark has no `control`']);
    const ended = delivered(await host.core.admit(comment('T-9'))).conversation;
    await host.core.operations.terminate('default', ended, 'enough', 'ada');
    expect((await host.post(`/v1/controls/${ended}/reconcile`)).status).toBe(409);
    expect((await host.post(`/v1/controls/${randomUUID()}/reconcile`)).status).toBe(404);
    const viewer = await host.token('viewer');
    expect((await host.post(`/v1/controls/${dark}/reconcile`, undefined, { token: viewer.token })).status).toBe(403);
    const other = await host.token('admin', 'acme');
    expect((await host.get('/v1/controls?org=acme', { token: other.token })).body.items).toEqual([]);
    expect((await host.post(`/v1/controls/${dark}/reconcile`, undefined, { token: other.token })).status).toBe(404);
  });
});
