import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { insertBinding, saveFault } from '../../src/core/controls/bindings.js';
import { failGap, openGap } from '../../src/core/gaps/gaps.js';
import { describeLease, takeLease } from '../../src/core/leases/leases.js';
import { enlist } from '../../src/core/replicas/replicas.js';
import { sqliteMigrations } from '../../src/database/migrations/sqlite/index.js';
import { folderWith } from '../config/config-folder.js';
import { eachDatabase } from '../databases.js';
import { type CallOptions, call } from './call.js';

const SECRET = 'f3b1c0de-and-more-of-it';
const HEALTHY = `
server: { port: 0, publicUrl: https://hooks.example.com }
connections:
  github: { plugin: github, secret: { env: GITHUB_WEBHOOK_SECRET } }
runtimes:
  agent: { kind: process, command: [node, agent.mjs] }
workspaces:
  engineering: { runtime: agent, directory: . }
routes:
  comments: { connection: github, workspace: engineering }
`;

interface Report {
  readonly ok: boolean;
  readonly faults: number;
  readonly warnings: number;
  readonly checks: readonly (Finding & { readonly section: string })[];
}

async function examine(
  cwd: string,
  options: CallOptions = {},
): Promise<{ code: number; report: Report; find(section: string, name: string): Finding | undefined }> {
  const { code, stdout } = await call(cwd, ['doctor', '--json'], options);
  const report = JSON.parse(stdout) as Report;
  return { code, report, find: (section, name) => report.checks.find((check) => check.section === section && check.name === name) };
}

function project(config: string, files: Record<string, string> = {}): string {
  return folderWith({ 'throughline.config.yaml': config, ...files });
}

describe('throughline doctor', () => {
  it('finds nothing wrong with a healthy set-up, ends with 0 and makes nothing', async () => {
    const cwd = project(HEALTHY, { 'agent.mjs': '' });
    const { code, report, find } = await examine(cwd, { env: { GITHUB_WEBHOOK_SECRET: SECRET } });
    expect([code, report.ok, report.checks.filter(({ verdict }) => verdict !== 'ok')]).toEqual([0, true, []]);
    expect(find('Connection github', 'Webhook URL')).toMatchObject({
      message: 'https://hooks.example.com/v1/events/default/github',
      fix: expect.stringContaining('Payload URL'),
    });
    expect(existsSync(join(cwd, 'data'))).toBe(false);
  });

  it('ADM-5 says for each connection what is missing and how to mend it', async () => {
    const cwd = project(`
connections:
  github: { plugin: github, secret: { env: GITHUB_WEBHOOK_SECRET } }
  slack: { plugin: slack, secret: { env: SLACK_SIGNING_SECRET } }
  chat: { plugin: slack, appToken: xapp-1-A01-test }
  linear: { plugin: linear }
  mirror: { plugin: github, host: "https://ghe.example.com", secret: short }
`);
    const { code, find } = await examine(cwd, { env: { SLACK_SIGNING_SECRET: SECRET } });
    expect(code).toBe(1);
    expect(find('Connection github', 'Secret')).toMatchObject({
      verdict: 'fault',
      message: 'the environment variable `GITHUB_WEBHOOK_SECRET` is not set',
      fix: expect.stringMatching(/^Set GITHUB_WEBHOOK_SECRET .* Settings › Webhooks › Secret/),
    });
    expect(find('Connection slack', 'Secret')).toMatchObject({ verdict: 'ok', message: 'set' });
    expect(find('Connection slack', 'Webhook URL')).toMatchObject({ verdict: 'warning', fix: expect.stringContaining('Request URL') });
    expect(find('Connection chat', 'Webhook URL')).toMatchObject({ verdict: 'ok', message: expect.stringContaining('over a socket') });
    expect(find('Connection chat', 'Secret')).toBeUndefined();
    expect(find('Connection linear', 'Secret')).toMatchObject({ verdict: 'fault', message: expect.stringContaining('is missing') });
    expect(find('Connection linear', 'Routes')).toMatchObject({ verdict: 'warning' });
    expect(find('Connection mirror', 'host')).toMatchObject({ verdict: 'fault', message: expect.stringContaining('must be a host name') });
    expect(find('Connection mirror', 'Secret')).toMatchObject({ verdict: 'warning', message: expect.stringContaining('shorter than 16') });
  });

  it('SIG-4 looks at each of two secrets, and prints neither', async () => {
    const cwd = project(`connections: { github: { plugin: github, secrets: ["${SECRET}-new", "${SECRET}-old "] } }`);
    const { find, report } = await examine(cwd);
    expect(find('Connection github', 'Secret 1')).toMatchObject({ verdict: 'ok' });
    expect(find('Connection github', 'Secret 2')).toMatchObject({
      verdict: 'warning',
      message: expect.stringContaining('begins or ends with a space'),
    });
    expect(JSON.stringify(report)).not.toContain(SECRET);
  });

  it('lists every fault of a configuration that cannot be read, and says that the rest was not looked at', async () => {
    const { code, report } = await examine(project('server: { prt: 1 }\nroutes: { a: { connection: gone, workspace: gone } }'));
    expect(code).toBe(1);
    expect(report.checks.filter(({ verdict }) => verdict === 'fault').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['server.prt', 'routes.a.connection', 'routes.a.workspace']),
    );
    expect(report.checks.at(-1)).toMatchObject({ name: 'Rest', verdict: 'warning' });
  });

  it('WSP-3 looks at the folder, the agent and the variables of each workspace', async () => {
    const cwd = project(
      `
runtimes: { gone: { kind: acp, command: [no-such-agent] }, script: { kind: process, command: [node, lost.mjs] } }
workspaces:
  first: { runtime: gone, directory: ./a-file }
  second: { runtime: script, directory: ., env: [PATH, UNSET_TOKEN] }
  third: { runtime: script, repository: ./nowhere }
`,
      { 'a-file': '' },
    );
    const { find } = await examine(cwd);
    expect(find('Workspace first', 'Folder')).toMatchObject({ verdict: 'fault', message: expect.stringContaining('is a file') });
    expect(find('Workspace first', 'Agent')).toMatchObject({ verdict: 'fault' });
    expect(find('Workspace second', 'Agent')).toMatchObject({
      verdict: 'warning',
      message: expect.stringContaining('there is no lost.mjs'),
    });
    expect(find('Workspace third', 'Repository')).toMatchObject({
      verdict: 'fault',
      message: expect.stringContaining('no git repository'),
    });
    expect(find('Workspace second', 'Variables')).toMatchObject({ verdict: 'warning', message: 'UNSET_TOKEN not set here' });
  });

  it('judges the public URL, the admin token and the encryption key', async () => {
    const env = {
      THROUGHLINE_ADMIN_TOKEN: 'too-short',
      THROUGHLINE_ENCRYPTION_KEY: 'abc',
      THROUGHLINE_SERVER__PUBLIC_URL: 'http://hooks.example.com',
    };
    const bad = await examine(project('server: { port: 0 }'), { env });
    expect(bad.find('Access', 'Admin token')).toMatchObject({ verdict: 'fault', message: expect.stringContaining('shorter than 32') });
    expect(bad.find('Access', 'Encryption key')).toMatchObject({ verdict: 'fault' });
    expect(bad.find('Server', 'Public URL')).toMatchObject({ verdict: 'warning', message: expect.stringContaining('not encrypted') });
    expect(JSON.stringify(bad.report)).not.toContain('too-short');
    const good = { THROUGHLINE_ADMIN_TOKEN: 'a'.repeat(32), THROUGHLINE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
    const { find } = await examine(project('server: { port: 0, publicUrl: "http://127.0.0.1:8787" }'), { env: good });
    expect([find('Access', 'Admin token')?.verdict, find('Access', 'Encryption key')?.verdict]).toEqual(['ok', 'ok']);
    expect(find('Server', 'Public URL')).toMatchObject({ verdict: 'warning', message: expect.stringContaining('this machine alone') });
  });

  it('reports a database that cannot be reached, without its password, and a file that is none', async () => {
    const env = { THROUGHLINE_DATABASE__URL: 'postgresql://me:hunter2@127.0.0.1:1/events' };
    const { code, find, report } = await examine(project('server: { port: 0 }'), { env });
    expect([code, find('Database', 'Reachable')]).toMatchObject([
      1,
      { verdict: 'fault', message: expect.stringContaining('postgresql://me@127.0.0.1:1/events') },
    ]);
    expect(JSON.stringify(report)).not.toContain('hunter2');
    const broken = await examine(project('server: { port: 0 }', { 'data/throughline.db': 'this is no database, whatever its name says' }));
    expect(broken.find('Database', 'Reachable')).toMatchObject({ verdict: 'fault', message: expect.stringContaining('not a database') });
  });

  it('writes for people: a mark for each finding, what mends it below, and colours on a terminal alone', async () => {
    const cwd = project('server: { port: 0 }\nconnections: { github: { plugin: github, secret: { env: GITHUB_WEBHOOK_SECRET } } }');
    const plain = await call(cwd, ['doctor']);
    expect([plain.code, plain.stderr]).toEqual([1, '']);
    expect(plain.stdout).toMatch(/^Machine\n {2}✓ Node /);
    expect(plain.stdout).toMatch(/\n {2}✗ Secret {10}the environment variable .*\n {20}→ Set GITHUB_WEBHOOK_SECRET /);
    expect(plain.stdout).toMatch(/\n {2}! Public URL /);
    expect(plain.stdout.trimEnd()).toMatch(/\n1 fault, 3 warnings\.$/);
    expect((await call(cwd, ['doctor'], { isTTY: true })).stdout).toContain('\u001b[31m✗\u001b[39m Secret');
    expect((await call(cwd, ['doctor'], { isTTY: true, env: { NO_COLOR: '1' } })).stdout).toBe(plain.stdout);
  });
});

describe('throughline doctor and the port', () => {
  let server: Server;
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  async function answering(status: number, body: string): Promise<NodeJS.ProcessEnv> {
    server = createServer((_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { THROUGHLINE_SERVER__PORT: String((server.address() as AddressInfo).port) };
  }

  it('tells a running server that is ready, one that is not, and somebody else', async () => {
    const ready = await examine(project(''), { env: await answering(200, '{"status":"ok"}') });
    expect([ready.code, ready.find('Server', 'Server')]).toMatchObject([
      0,
      { verdict: 'ok', message: expect.stringContaining('running and ready') },
    ]);
    await new Promise((resolve) => server.close(resolve));
    const starting = await examine(project(''), { env: await answering(503, '{"status":"recovering"}') });
    expect([starting.code, starting.find('Server', 'Server')]).toMatchObject([
      1,
      { verdict: 'fault', message: expect.stringContaining('recovering') },
    ]);
    await new Promise((resolve) => server.close(resolve));
    const other = await examine(project(''), { env: await answering(200, '<html>') });
    expect([other.code, other.find('Server', 'Port')]).toMatchObject([
      1,
      { verdict: 'fault', message: expect.stringContaining('something else answers') },
    ]);
  });
});

eachDatabase('throughline doctor', (make) => {
  it('tells the schema, a test of writing, and who is admin', async () => {
    const test = await make();
    const env = { THROUGHLINE_DATABASE__URL: test.url, THROUGHLINE_SERVER__PORT: '0' };
    const cwd = project('');
    await call(cwd, ['token', 'create', '--role', 'admin'], { env });
    const { code, find } = await examine(cwd, { env });
    expect(code).toBe(0);
    for (const name of ['Reachable', 'Schema', 'Write', test.name === 'sqlite' ? 'Journal' : 'Clock']) {
      expect([name, find('Database', name)?.verdict]).toEqual([name, 'ok']);
    }
    expect(find('Access', 'Admin token')).toMatchObject({ verdict: 'ok', message: 'stored' });
    await call(cwd, ['migrate', 'down', '--yes'], { env });
    expect((await examine(cwd, { env })).find('Database', 'Schema')).toMatchObject({
      verdict: 'warning',
      message: `not applied yet: ${sqliteMigrations.at(-1)?.name}`,
    });
    await test.drop();
  });

  it('ING-6 tells which sources the running servers cannot keep up, and what may be missing', async () => {
    const test = await make();
    const env = { THROUGHLINE_DATABASE__URL: test.url, THROUGHLINE_SERVER__PORT: '0', GITHUB_WEBHOOK_SECRET: SECRET };
    const cwd = project('connections: { chat: { plugin: github, secret: { env: GITHUB_WEBHOOK_SECRET } } }');
    await call(cwd, ['migrate', 'up'], { env });
    expect((await examine(cwd, { env })).report.checks.some(({ section }) => section === 'Sources')).toBe(false);
    const database = await test.open();
    await database.transaction(async (tx) => {
      const owner = await enlist(tx, { name: 'one', bootId: 'b', pid: 1, processStarted: '' }, 60_000);
      for (const [kind, state, detail] of [
        ['stream', 'misconfigured', 'the token was revoked'] as const,
        ['poll', 'connected', null] as const,
      ]) {
        const lease = await takeLease(tx, `${kind}:default/chat`, owner);
        if (lease) await describeLease(tx, lease, state, detail);
      }
      await openGap(tx, 'default', 'chat', 1000);
      await failGap(tx, 'default', 'chat', 'rate limited');
    });
    await database.close();
    const { code, find } = await examine(cwd, { env });
    expect(code).toBe(1);
    expect(find('Sources', 'stream:default/chat')).toMatchObject({
      ...{ verdict: 'fault', message: 'the token was revoked' },
      fix: expect.stringContaining('POST /v1/connections/chat/restart'),
    });
    expect(find('Sources', 'poll:default/chat')).toMatchObject({ verdict: 'ok', message: 'connected, on one' });
    expect(find('Sources', 'Gap of chat')).toMatchObject({
      verdict: 'warning',
      message: 'events since 1970-01-01T00:00:01.000Z may be missing: rate limited',
    });
    await test.drop();
  });

  it('CTL-1 tells which channels do not take what is to be shown, and what mends it', async () => {
    const test = await make.migrated();
    const env = { THROUGHLINE_DATABASE__URL: test.url, THROUGHLINE_SERVER__PORT: '0' };
    const database = await test.open();
    const threads = ['T-1', 'T-2', 'T-3'].map((title) => ({ title, conversation: randomUUID() }));
    await database.transaction(async (tx) => {
      const of = { org: 'default', connection: 'chat', parent: 'C1', workspace: 'main', isClosed: false };
      for (const thread of threads) await insertBinding(tx, { ...of, ...thread });
      for (const { conversation } of threads.slice(1)) await saveFault(tx, conversation, { state: 'forbidden', message: 'may not write' });
    });
    await database.close();
    const { report } = await examine(project(''), { env });
    expect(report.checks.filter(({ section }) => section === 'Threads').toSorted((a, b) => (a.verdict < b.verdict ? -1 : 1))).toMatchObject(
      [
        { name: 'default/chat', verdict: 'ok', message: '1 thread in order' },
        { verdict: 'warning', message: '2 threads forbidden: may not write', fix: expect.stringContaining('permissions') },
      ],
    );
    await test.drop();
  });
});
