import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Uploads } from '../../src/automations/uploads/uploads.js';
import { openUpload } from '../../src/core/uploads/uploads.js';
import { tarGz } from '../automations/sandboxes/tarballs.js';
import { eachDatabase } from '../databases.js';
import { ADMIN_TOKEN, AdminHost, UPLOAD_LIMIT } from './admin-host.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const GZIP = 'application/gzip';
const FILES = tarGz({ path: 'main.py', body: 'print()' });

eachDatabase('/v1/uploads', (make) => {
  let host: AdminHost;
  let port: number;
  let count = 0;
  beforeAll(async () => {
    host = await AdminHost.start(make);
    await host.app.listen(0, '127.0.0.1');
    port = Number(new URL(await host.app.getUrl()).port);
  });
  afterAll(() => host.close());

  /** Over a real connection: what is read of a body, and when, is what counts here. */
  const send = async (
    body: Buffer | Iterable<Buffer>,
    {
      type = GZIP,
      token = ADMIN_TOKEN,
      query = '',
      headers = {},
    }: { type?: string; token?: string; query?: string; headers?: object } = {},
  ): Promise<{ status: number; body: any }> => {
    const path = `/v1/uploads?name=files-${++count}${query}`;
    const asked = request({
      ...{ host: '127.0.0.1', port, path, method: 'POST', agent: false },
      headers: { authorization: `Bearer ${token}`, 'content-type': type, ...headers },
    });
    const answered = new Promise<{ status: number; body: any }>((resolve, reject) => {
      asked.on('error', reject);
      asked.on('response', (response) =>
        text(response).then((said) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(said) }), reject),
      );
    });
    for (const chunk of Buffer.isBuffer(body) ? [body] : body) asked.write(chunk);
    asked.end();
    return answered;
  };
  const open = (id: string, org = 'default') => host.core.database.transaction((tx) => openUpload(tx, org, id));
  const states = async () => (await host.walk('/v1/uploads', 50)).map(({ state }) => state);

  it('AUT-11 a tarball is taken, told, and given back as it came', async () => {
    const { status, body } = await send(FILES, { query: '&description=The%20files.' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ org: 'default', owner: 'environment', state: 'completed', size: FILES.length, description: 'The files.' });
    expect(body.tarball).toBe(`upload://${body.id}`);
    expect(await host.get(`/v1/uploads/${body.id}`)).toMatchObject({ status: 200, body });
    const content = await fetch(`http://127.0.0.1:${port}/v1/uploads/${body.id}/content`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(Buffer.from(await content.arrayBuffer())).toEqual(FILES);
    expect(await open(body.id)).toMatchObject({ id: body.id, sha256: body.sha256 });
  });

  it.each([
    ['of another type', FILES, { type: 'application/json' }, 415, 'unsupported_media_type'],
    ['without a type', FILES, { type: '' }, 415, 'unsupported_media_type'],
    ['with an encoding', FILES, { headers: { 'content-encoding': 'gzip' } }, 415, 'unsupported_media_type'],
    ['that says it is too large', FILES, { headers: { 'content-length': UPLOAD_LIMIT + 1 } }, 413, 'body_too_large'],
    ['with an Idempotency-Key', FILES, { headers: { 'idempotency-key': 'k-1' } }, 400, 'invalid_input'],
    ['that is no tarball', Buffer.from('hello'), {}, 400, 'tarball_refused'],
    ['with a link', tarGz({ path: 'l', type: '2', link: '/etc' }), {}, 400, 'tarball_refused'],
  ])('AUT-11 one %s is refused, and nothing of it stays', async (_, bytes, how, status, code) => {
    const before = readdirSync(host.uploads).length;
    expect(await send(bytes, how)).toMatchObject({ status, body: { code } });
    expect(readdirSync(host.uploads)).toHaveLength(before);
  });

  it('AUT-11 one that turns out to be too large while it comes is answered 413, and nothing of it stays', async () => {
    const before = readdirSync(host.uploads).length;
    const chunks = Array.from({ length: 40 }, () => Buffer.alloc(1_000, 'x'));
    expect(await send(chunks)).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
    expect(readdirSync(host.uploads)).toHaveLength(before);
    expect(await states()).toContain('failed');
  });

  it('AUT-11 one whose sender goes away leaves no file', async () => {
    const failed = (await states()).filter((state) => state === 'failed').length;
    const before = readdirSync(host.uploads).length;
    const asked = request({
      ...{ host: '127.0.0.1', port, path: '/v1/uploads?name=lost', method: 'POST' },
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': GZIP, 'content-length': 10_000 },
    });
    asked.on('error', () => undefined);
    await new Promise((resolve) => asked.write(Buffer.alloc(100), resolve));
    const begun = async () => (await host.walk('/v1/uploads', 50)).find(({ name }) => name === 'lost')?.state;
    while ((await begun()) === undefined) await new Promise(setImmediate);
    asked.destroy();
    while ((await begun()) === 'uploading') await new Promise(setImmediate);
    expect((await states()).filter((state) => state === 'failed')).toHaveLength(failed + 1);
    expect(readdirSync(host.uploads)).toHaveLength(before);
  });

  it('AUT-11 W-32 an upload of another organisation, and one that was deleted, are as if there were none', async () => {
    const { body } = await send(FILES);
    const stranger = (await host.token('admin', 'acme')).token;
    for (const url of [`/v1/uploads/${body.id}`, `/v1/uploads/${body.id}/content`])
      expect(await host.get(url, { token: stranger })).toMatchObject({ status: 404 });
    expect(await host.delete(`/v1/uploads/${body.id}`, { token: stranger })).toMatchObject({ status: 404 });
    expect(await host.walk('/v1/uploads?org=acme', 50)).toEqual([]);
    expect(await open(body.id, 'acme')).toBeNull();
    expect(await host.delete(`/v1/uploads/${body.id}`)).toMatchObject({ status: 204 });
    expect(await host.get(`/v1/uploads/${body.id}`)).toMatchObject({ status: 404 });
    expect(await open(body.id)).toBeNull();
    expect(await host.get(`/v1/uploads/${NOBODY}`)).toMatchObject({ status: 404 });
    expect(await host.get('/v1/uploads/none')).toMatchObject({ status: 404 });
  });

  it('AUT-11 one that an automation names is not deleted, and others than its owner and admins may not delete it', async () => {
    const { body } = await send(FILES);
    const operator = (await host.token('operator')).token;
    expect(await host.delete(`/v1/uploads/${body.id}`, { token: operator })).toMatchObject({ status: 403 });
    const automation = {
      ...{ name: 'packed', triggers: [{ type: 'event', source: 'tracker', on: ['*'] }], runtime: 'box' },
      ...{ tarball_path: body.tarball, entrypoint: 'python main.py' },
    };
    const made = await host.post('/v1/automations', automation);
    expect(made).toMatchObject({ status: 201 });
    expect(await host.delete(`/v1/uploads/${body.id}`)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('packed') } });
    await host.delete(`/v1/automations/${made.body.id}`);
    expect(await host.delete(`/v1/uploads/${body.id}`)).toMatchObject({ status: 204 });
  });

  it('needs the role operator, and is audited', async () => {
    const viewer = (await host.token('viewer')).token;
    expect(await send(FILES, { token: viewer })).toMatchObject({ status: 403 });
    const { body } = await host.get('/v1/audit?limit=200');
    expect(body.items.filter(({ action }: { action: string }) => action === 'upload.create').length).toBeGreaterThan(0);
  });

  it('AUT-11 files of what nobody can start any more are removed, and the others stay', async () => {
    const kept = (await send(FILES)).body.id;
    const gone = (await send(FILES)).body.id;
    await host.delete(`/v1/uploads/${gone}`);
    const uploads = new Uploads(host.core.database, host.uploads, UPLOAD_LIMIT);
    const signal = new AbortController().signal;
    expect(await uploads.sweep(signal)).toBe(0);
    expect(await uploads.sweep(signal, -1)).toBeGreaterThan(0);
    expect(readdirSync(host.uploads)).toContain(kept);
    expect(readdirSync(host.uploads)).not.toContain(gone);
    expect(await states()).not.toContain('failed');
  });
});
