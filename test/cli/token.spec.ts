import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { secretHash } from '../../src/admin/access/secret.js';
import { listAudit } from '../../src/core/audit/audits.js';
import { findActiveToken } from '../../src/core/tokens/tokens.js';
import type { Database } from '../../src/database/database.js';
import { folderWith } from '../config/config-folder.js';
import { eachDatabase, type TestDatabase } from '../databases.js';
import { call, lastLine } from './call.js';

eachDatabase('throughline token', (make) => {
  let test: TestDatabase;
  let database: Database;
  const token = (...args: string[]) => call(folderWith({}), ['token', ...args], { env: { THROUGHLINE_DATABASE__URL: test.url } });

  beforeEach(async () => {
    test = await make();
    database = await test.open();
  });
  afterEach(async () => {
    await database.close();
    await test.drop();
  });

  it('makes a token in a new database, alone on the last line, and keeps its hash alone', async () => {
    const called = await token('create', '--role', 'operator', '--name', 'pager');
    const text = lastLine(called);
    expect([called.code, text]).toEqual([0, expect.stringMatching(/^tl_[\w-]{43}$/)]);
    expect(called.stdout.split(text)).toHaveLength(2);
    const row = await database.transaction((tx) => findActiveToken(tx, secretHash(text)));
    expect(row).toMatchObject({ org: 'default', role: 'operator', name: 'pager', revoked_at: null });
    const { rows } = await database.transaction((tx) => listAudit(tx, 'default', {}, { after: null, limit: 10 }));
    expect(rows).toMatchObject([{ actor: 'cli', action: 'token.create', target: String(row?.id) }]);
    expect(JSON.stringify(rows)).not.toContain(text);
  });

  it('lists tokens, and revokes them once', async () => {
    expect((await token('list')).stdout).toContain('there are no tokens');
    const text = lastLine(await token('create', '--role', 'admin', '--name', 'ci'));
    const listed = (await token('list')).stdout;
    expect(listed).toMatch(/^id +role +created +state +name\n1 +admin +\d{4}-\d\d-\d\d +active +ci\n$/);
    expect(listed).not.toContain(text);
    expect((await token('revoke', '1')).stdout).toBe('token 1 is revoked\n');
    expect(await database.transaction((tx) => findActiveToken(tx, secretHash(text)))).toBeNull();
    expect((await token('list')).stdout).toContain('revoked');
    expect(await token('revoke', '1')).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no active token 1') });
  });

  it('ends with 2 for a role, an organisation, an id or a name that cannot be', async () => {
    expect(await token('create', '--role', 'boss')).toMatchObject({ code: 2, stderr: expect.stringContaining('viewer, operator, admin') });
    expect(await token('create')).toMatchObject({ code: 2, stderr: expect.stringContaining('--role') });
    const org = await token('create', '--role', 'viewer', '--org', 'defualt');
    expect(org).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('did you mean `default`?') });
    expect(await token('revoke', '0x1')).toMatchObject({ code: 2, stderr: expect.stringContaining('is no id of a token') });
    expect(await token('create', '--role', 'viewer', '--name', ' ')).toMatchObject({ code: 2, stderr: expect.stringContaining('--name') });
  });
});
