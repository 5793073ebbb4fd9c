import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminAccess } from '../../src/admin/access/admin-access.js';
import { ensureAdminToken } from '../../src/admin/tokens.js';
import { comment } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { ADMIN_TOKEN, AdminHost } from './admin-host.js';

const NOBODY = { token: null };

eachDatabase('who may use the admin API', (make) => {
  let host: AdminHost;
  beforeAll(async () => {
    host = await AdminHost.start(make);
  });
  afterAll(() => host.close());

  it('ADM-1 nobody gets in without a token, with a wrong one, or with another scheme', async () => {
    const { token } = await host.token('viewer');
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${token}` },
      { authorization: `Bearer ${token}x` },
    ]) {
      const { status, body, headers: answered } = await host.get('/v1/conversations', { ...NOBODY, headers });
      expect([status, body.code]).toEqual([401, 'unauthenticated']);
      expect(answered['www-authenticate']).toMatch(/^Bearer/);
      expect(answered['content-type']).toMatch(/^application\/problem\+json/);
    }
    expect((await host.get('/v1/conversations', { token })).status).toBe(200);
  });

  it('ADM-1 each role may do what those below it may, and no more', async () => {
    const { delivery } = delivered(await host.core.admit(comment('1')));
    const [viewer, operator, admin] = await Promise.all([host.token('viewer'), host.token('operator'), host.token('admin')]);
    const statusOf = async (who: { token: string }) => [
      (await host.get('/v1/deliveries', who)).status,
      (await host.post(`/v1/deliveries/${delivery}/retry`, undefined, who)).status,
      (await host.get('/v1/tokens', who)).status,
    ];
    expect(await statusOf(viewer)).toEqual([200, 403, 403]);
    expect(await statusOf(operator)).toEqual([200, 200, 403]);
    expect(await statusOf(admin)).toEqual([200, 200, 200]);
    expect((await host.get('/v1/tokens', viewer)).body.code).toBe('forbidden');
  });

  it('ADM-1 tokens are kept as hashes, and a revoked one is worth nothing', async () => {
    const { id, token } = await host.token('viewer');
    expect(token.length).toBeGreaterThanOrEqual(32);
    const stored = await host.core.rows<{ hash: Buffer }>('select * from tokens');
    expect(JSON.stringify(stored)).not.toContain(token);
    const listed = await host.get('/v1/tokens');
    expect(listed.text).not.toContain(token);
    expect((await host.post(`/v1/tokens/${id}/revoke`)).body.revoked_at).toEqual(expect.any(String));
    expect((await host.get('/v1/deliveries', { token })).status).toBe(401);
    expect((await host.post(`/v1/tokens/${id}/revoke`)).status).toBe(409);
  });

  it("IDN-7 another organisation's ids do not exist, and its lists are its own", async () => {
    const answer = await host.core.admit(comment('2'));
    const { conversation, delivery } = delivered(answer);
    const { receipt } = answer;
    const { token } = await host.token('admin', 'acme');
    const addresses = [
      `/v1/conversations/${conversation}`,
      `/v1/conversations/${conversation}/timeline`,
      `/v1/deliveries/${delivery}`,
      `/v1/receipts/${receipt}`,
    ];
    for (const address of addresses) {
      expect([address, (await host.get(address)).status]).toEqual([address, 200]);
      expect([address, (await host.get(address, { token })).status]).toEqual([address, 404]);
    }
    expect((await host.post(`/v1/conversations/${conversation}/messages`, { text: 'hello' }, { token })).status).toBe(404);
    expect((await host.post(`/v1/deliveries/${delivery}/skip`, {}, { token })).status).toBe(404);
    for (const list of ['conversations', 'deliveries', 'receipts', 'audit']) {
      const { items } = (await host.get(`/v1/${list}`, { token })).body;
      expect([list, items.filter((item: { action?: string }) => item.action === undefined)]).toEqual([list, []]);
    }
  });

  it('IDN-7 the token of the environment may choose an organisation that exists; others have their own', async () => {
    await host.core.admit(comment('3'));
    const { token } = await host.token('viewer');
    expect((await host.get('/v1/conversations')).body.items).not.toEqual([]);
    expect((await host.get('/v1/conversations?org=acme')).body.items).toEqual([]);
    expect((await host.get('/v1/conversations?org=nobody')).status).toBe(404);
    expect((await host.get('/v1/conversations?org=default', { token })).status).toBe(200);
    expect((await host.get('/v1/conversations?org=acme', { token })).status).toBe(404);
  });

  it('ADM-1 the first start makes an admin token that only its owner can read, and later starts make none', async () => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'throughline-token-'));
    try {
      await host.change("update tokens set revoked_at = 1 where role = 'admin'");
      const options = { dataDir, access: AdminAccess.from({}), orgs: ['default', 'acme'] };
      const file = await ensureAdminToken(host.core.database, options);
      expect(file).toBe(path.join(dataDir, 'admin-token'));
      expect(statSync(file ?? '').mode & 0o777).toBe(0o600);
      const token = readFileSync(file ?? '', 'utf8').trim();
      expect((await host.get('/v1/tokens', { token })).status).toBe(200);
      expect(await ensureAdminToken(host.core.database, options)).toBeNull();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  it('IDN-7 where no organisation is called default, the first one is meant', async () => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'throughline-token-'));
    host.host.known = ['acme', 'other'];
    try {
      expect((await host.get('/v1/capabilities')).status).toBe(200);
      await host.change("update tokens set revoked_at = 1 where role = 'admin'");
      const file = await ensureAdminToken(host.core.database, { dataDir, access: AdminAccess.from({}), orgs: host.host.known });
      const token = readFileSync(file ?? '', 'utf8').trim();
      expect((await host.get('/v1/capabilities', { token })).body).toMatchObject({ orgs: ['acme'], role: 'admin' });
    } finally {
      host.host.known = ['default', 'acme'];
      rmSync(dataDir, { recursive: true });
    }
  });

  it('health is open to all', async () => {
    expect((await host.get('/health/live', NOBODY)).status).toBe(200);
    expect((await host.get('/health/ready', NOBODY)).status).toBe(200);
  });
});

describe('the token of the environment', () => {
  it('ADM-1 is refused at start when it is too short, without being repeated', () => {
    expect(() => AdminAccess.from({ THROUGHLINE_ADMIN_TOKEN: 'too-short' })).toThrow(/THROUGHLINE_ADMIN_TOKEN must be at least 32/);
    expect(() => AdminAccess.from({ THROUGHLINE_ADMIN_TOKEN: 'too-short' })).not.toThrow(/too-short/);
    expect(AdminAccess.from({ THROUGHLINE_ADMIN_TOKEN: ADMIN_TOKEN }).isConfigured).toBe(true);
    expect(AdminAccess.from({ THROUGHLINE_ADMIN_TOKEN: '' }).isConfigured).toBe(false);
  });
});
