import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigFault, type Connection, type ProviderFault } from 'throughline/plugin';
import { GithubControl } from '../../../plugins/github/github.control.js';
import type { GithubConnection } from '../../../plugins/github/github.options.js';
import { comment } from '../../../plugins/github/github.tools.js';
import { GithubServer, refusal } from '../../fakes/github/github-server.js';
import { connected, fails, KEY, SUBJECT } from './github.writing.js';

const MINUTE = 60_000;
const signal = new AbortController().signal;

let github: GithubServer;
let connection: Connection<GithubConnection>;

beforeEach(async () => {
  github = await GithubServer.start();
  github.addIssue(12);
  connection = connected(github, { app: github.app });
});
afterEach(() => github.close());

const write = (by = connection) => comment.execute({ body: 'x' }, { connection: by, conversation: 'c', subject: SUBJECT }, KEY);
const asked = (path: string, server = github) => server.calls.filter((call) => call.path.includes(path)).length;

describe('a GitHub App', () => {
  it.each([12, -5])('GIT-3 TRN-9 is let in where GitHub’s clock is %i minutes ahead of ours', async (minutes) => {
    github.door.aheadMs = minutes * MINUTE;
    await write();
    await write();
    // One that was refused tells the time; after it none is.
    expect([asked('/installation'), asked('/access_tokens')]).toEqual([3, 1]);
  });

  it('GIT-3 takes a new token after an hour, and where GitHub has taken the old one back, and writes once', async () => {
    await write();
    github.door.forgetTokens();
    await write();
    github.door.aheadMs = 61 * MINUTE;
    await write();
    expect(github.issues.get(12)?.comments).toHaveLength(3);
    expect(asked('/comments')).toBe(5);
  });

  it('GIT-3 says that it is suspended, and is let in again without a restart', async () => {
    github.door.isSuspended = true;
    expect(await fails(write())).toMatchObject({ kind: 'unauthorized', message: expect.stringMatching(/suspended.*unsuspend it/) });
    const wanted = { conversation: 'c', subject: SUBJECT, parent: 'acme/api', title: 'x', known: null };
    const shown = await fails(new GithubControl().ensureThread(wanted, connection, signal));
    expect(shown).toMatchObject({ state: 'forbidden', message: expect.stringContaining('unsuspend it') });
    github.door.isSuspended = false;
    await write();
  });

  it('GIT-3 says that it is not installed, and finds its installation when it is', async () => {
    github.door.installation = null;
    expect(await fails(write())).toMatchObject({ kind: 'unauthorized', message: expect.stringContaining('install the App') });
    github.door.installation = 1;
    await write();
    // It was removed, and installed again.
    github.door.installation = 2;
    github.door.forgetTokens();
    await write();
    expect(asked('/installations/2/access_tokens')).toBe(1);
    // The repository went to an owner whose installation is another one; the token of the old one is still good for others.
    github.door.installation = 3;
    expect(await fails(write())).toMatchObject({ kind: 'permanent' });
    await write();
  });

  it('ADM-3 GIT-3 says which key is wrong, and shows none', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const other = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const refused = await fails(write(connected(github, { app: { id: github.app.id, privateKey: other } })));
    expect(refused).toMatchObject({ kind: 'unauthorized', message: expect.stringContaining('connections.github.app') });
    const broken = await fails(write(connected(github, { app: { id: 1, privateKey: other.replace('M', '!') } })));
    expect(broken).toBeInstanceOf(ConfigFault);
    expect(String(broken)).toMatch(/connections\.github\.app\.privateKey cannot be read/);
    expect(`${String(refused)} ${String(broken)}`).not.toContain(other.slice(40, 60));
    const escaped = github.app.privateKey.replaceAll('\n', '\\n');
    await write(connected(github, { app: { ...github.app, privateKey: escaped } }));
  });

  it('GIT-3 of two servers whose installations have one number never shows a token to the other', async () => {
    const other = await GithubServer.start();
    other.addIssue(12);
    await Promise.all([write(), write(connected(other, { app: other.app })), write()]);
    expect([asked('/access_tokens'), asked('/access_tokens', other)]).toEqual([1, 1]);
    expect([asked('/comments'), asked('/comments', other)]).toEqual([2, 1]);
    await other.close();
  });

  it('GIT-3 that cannot be let in because GitHub is away is tried again', async () => {
    github.once(({ path }) => path.includes('/access_tokens'), 'break');
    expect(await fails(write())).toMatchObject({ kind: 'transient' });
    await write();
  });
});

describe('the limits of GitHub', () => {
  const soon = () => String(Math.ceil(Date.now() / 1000) + 60);

  it.each([
    ['secondary', () => refusal(403, 'You have exceeded a secondary rate limit.', { 'retry-after': '60' })],
    ['primary', () => refusal(403, 'API rate limit exceeded', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': soon() })],
  ])('GIT-3 CTL-5 the %s one is a state: until it ends GitHub is asked for nothing more', async (_, limit) => {
    github.once(({ method }) => method === 'POST', limit());
    const by = connected(github);
    expect(await fails(write(by))).toMatchObject({ kind: 'transient' });
    const calls = github.calls.length;
    const fault = (await fails(write(by))) as ProviderFault;
    expect(fault).toMatchObject({ kind: 'transient', message: expect.stringContaining('nothing was sent') });
    expect(fault.retryAfterMs).toBeGreaterThan(50_000);
    expect(github.calls).toHaveLength(calls);
    await write(connected(github, { app: github.app }));
  });
});
