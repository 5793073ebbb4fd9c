import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { folderWith } from '../config/config-folder.js';
import { type Endpoint, githubTransport, linearTransport, SECRET, source, startEndpoint } from '../ingress/outside.js';
import { call } from './call.js';

const CONFIG = `
connections:
  github: { plugin: github, secret: { env: HOOK_SECRET } }
  linear: { plugin: linear, secrets: [{ env: HOOK_SECRET }, the-old-secret-of-linear] }
  unsigned: { plugin: github, insecure: true }
`;

describe('throughline send', () => {
  let endpoint: Endpoint;
  let port: string;
  let cwd: string;
  const send = (...args: string[]) =>
    call(cwd, ['send', ...args, '--payload', 'event.json'], { env: { HOOK_SECRET: SECRET, THROUGHLINE_SERVER__PORT: port } });

  beforeEach(async () => {
    endpoint = await startEndpoint([source('github', githubTransport), source('linear', linearTransport)]);
    await endpoint.app.listen(0, '127.0.0.1');
    port = new URL(await endpoint.app.getUrl()).port;
    cwd = folderWith({ 'throughline.config.yaml': CONFIG, 'event.json': '{"type":"Issue","action":"update"}', 'broken.json': '{' });
  });
  afterEach(() => endpoint.app.close());

  it('signs with the secret of the connection, and tells what the server answered', async () => {
    expect(await send('default/github', '--event', 'issues', '--delivery', 'd-1')).toEqual({
      code: 0,
      stdout: '200  unmatched  first  no conversation\n',
      stderr: '',
    });
    expect(endpoint.admission.events).toMatchObject([{ deliveryId: 'd-1', eventKey: 'issues', secretIndex: 0 }]);
  });

  it('shows each conversation and sequence that the event came to', async () => {
    const conversation = '2b1f6c5e-6a43-5d7e-9d0a-0c3b1f2a4d5e';
    endpoint.admission.admit = async () => ({
      ...{ received: true, duplicate: false, receipt: '7', disposition: 'routed', reason: null, matched: 1 },
      deliveries: [{ route: 'triage', conversation, delivery: 'x', sequence: 12, state: 'pending' }],
      ...{ runs_created: [], conversations_continued: [] },
    });
    const { stdout } = await send('default/github', '--event', 'issues');
    expect(stdout).toBe(`200  routed  first  conversation ${conversation}  sequence 12  route triage  pending\n`);
  });

  it('says of a duplicate where the first went, and not how far it had come then', async () => {
    const conversation = '2b1f6c5e-6a43-5d7e-9d0a-0c3b1f2a4d5e';
    endpoint.admission.admit = async () => ({
      ...{ received: true, duplicate: true, receipt: '7', disposition: 'routed', reason: null, matched: 1 },
      deliveries: [{ route: null, conversation, delivery: 'x', sequence: 12, state: 'pending' }],
      ...{ runs_created: [], conversations_continued: [] },
    });
    const { stdout } = await send('default/github', '--event', 'issues');
    expect(stdout).toBe(`200  routed  duplicate  conversation ${conversation}  sequence 12\n`);
  });

  it('ends with 1 when whoever answers is no Throughline', async () => {
    const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, stdout } = await send('default/github', '--event', 'issues', '--url', url);
    other.close();
    expect([code, stdout]).toEqual([1, expect.stringContaining('no answer of Throughline')]);
  });

  it('sends the same delivery again with --times, as a provider that retries', async () => {
    const { code, stdout } = await send('default/linear', '--times', '3');
    expect([code, stdout.match(/first/g)?.length, stdout.match(/duplicate/g)?.length]).toEqual([0, 1, 2]);
    expect(endpoint.admission.events).toHaveLength(1);
  });

  it('ends with 1 when the server refuses, and shows why', async () => {
    const { code, stdout } = await send('default/github', '--event', 'issues', '--secret', 'not the secret');
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^401 {2}signature_invalid {2}The signature /)]);
    expect(endpoint.admission.events).toHaveLength(0);
  });

  it('needs no configuration when all is said', async () => {
    const args = ['--provider', 'github', '--secret', SECRET, '--url', `http://127.0.0.1:${port}/`, '--event', 'issues'];
    const folder = folderWith({ 'throughline.config.yaml': 'wrong: true', 'event.json': '{}' });
    expect(await call(folder, ['send', 'default/github', '--payload', 'event.json', ...args])).toMatchObject({ code: 0 });
  });

  it('ends with 1 when no server is there', async () => {
    await endpoint.app.close();
    const { code, stderr } = await send('default/github', '--event', 'issues');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be reached: .*; is the server running\?/)]);
  });

  it('ends with 2 for what cannot be sent, and says what would be right', async () => {
    const refusals: [string[], RegExp][] = [
      [['default/githb'], /no connection default\/githb .*did you mean `default\/github`\?/],
      [['github'], /is no <org>\/<source>/],
      [['default/github'], /--event is missing/],
      [['default/unsigned', '--event', 'issues'], /connections\.unsigned\.secret is not set/],
      [['default/github', '--event', 'issues', '--provider', 'gihub'], /did you mean `github`\?/],
      [['default/github', '--event', 'issues', '--url', 'localhost:1'], /is no http or https address/],
      [['default/github', '--event', 'issues', '--times', '0'], /whole number from 1 to 10000/],
      [['default/github', '--payload', 'missing.json'], /missing\.json cannot be read \(ENOENT\)/],
      [['default/linear', '--payload', 'broken.json'], /the payload is no JSON/],
    ];
    for (const [args, reason] of refusals) {
      const options = { env: { HOOK_SECRET: SECRET, THROUGHLINE_SERVER__PORT: port } };
      const called = await call(cwd, ['send', '--payload', 'event.json', ...args], options);
      expect([args, called]).toEqual([args, { code: 2, stdout: '', stderr: expect.stringMatching(reason) }]);
      expect(called.stderr).not.toContain(SECRET);
    }
  });
});
