import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AdminApi } from '../../src/cli/tail/admin-api.js';
import { follow } from '../../src/cli/tail/follow.js';
import type { Delivery } from '../../src/cli/tail/state-line.js';
import { folderWith } from '../config/config-folder.js';
import { call } from './call.js';

const CONVERSATION = '2b1f6c5e-6a43-5d7e-9d0a-0c3b1f2a4d5e';

function delivery(sequence: number, changes: Partial<Delivery> = {}): Delivery {
  const start = {
    id: `d${sequence}`,
    conversation: CONVERSATION,
    sequence,
    route: 'triage',
    state: 'pending',
    outcome: null,
    reason: null,
  };
  return { ...start, attempts: 0, received_at: '2026-01-02T03:04:05.000Z', completed_at: null, ...changes };
}

/** A server that answers as the admin API does, from what the test put in. */
class FakeAdmin {
  deliveries: Delivery[] = [];
  status = 200;
  readonly requests: IncomingMessage[] = [];
  private readonly server: Server = createServer((request, response) => {
    this.requests.push(request);
    const body = this.status === 200 ? { items: this.deliveries.toReversed(), next_cursor: null } : { detail: 'This token is not known.' };
    response.writeHead(this.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

describe('throughline tail', () => {
  let admin: FakeAdmin;
  let url: string;

  beforeEach(async () => {
    admin = new FakeAdmin();
    url = await admin.listen();
  });
  afterEach(() => admin.close());

  /** Follows while the steps change what the server says, one before each further look. */
  async function followed(conversation: string | null, steps: readonly (() => unknown)[]): Promise<{ lines: string[]; err: string }> {
    const controller = new AbortController();
    const written = { out: '', err: '' };
    const left = [...steps];
    const wait = async () => {
      const step = left.shift();
      if (step === undefined) controller.abort();
      else await step();
    };
    const terminal = {
      ...{ cwd: '/', env: {}, interrupted: () => controller.signal },
      out: { write: (text: string) => (written.out += text) },
      err: { write: (text: string) => (written.err += text) },
    };
    await follow(new AdminApi(url, 'a-token', controller.signal), conversation, { terminal, signal: controller.signal, wait });
    return {
      lines: written.out
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, '')),
      err: written.err,
    };
  }

  it('prints a line for each delivery that is new or has changed, oldest first', async () => {
    admin.deliveries = [delivery(1), delivery(2)];
    const { lines } = await followed(null, [
      () => undefined,
      () => (admin.deliveries = [delivery(1, { state: 'claimed' }), delivery(2), delivery(3)]),
      () => (admin.deliveries = [delivery(1, { state: 'completed', outcome: 'done', attempts: 2 }), delivery(2), delivery(3)]),
    ]);
    expect(lines).toEqual([
      `${CONVERSATION}  #1     pending    route triage`,
      `${CONVERSATION}  #2     pending    route triage`,
      `${CONVERSATION}  #1     claimed    route triage`,
      `${CONVERSATION}  #3     pending    route triage`,
      `${CONVERSATION}  #1     completed  done  attempt 2  route triage`,
    ]);
    expect(admin.requests[0]).toMatchObject({ url: '/v1/deliveries?limit=200', headers: { authorization: 'Bearer a-token' } });
  });

  it('begins with the ten newest, and follows one conversation when asked to', async () => {
    admin.deliveries = Array.from({ length: 30 }, (_, index) => delivery(index + 1));
    const { lines } = await followed(CONVERSATION, [() => undefined]);
    expect(lines.map((line) => line.match(/#(\d+)/)?.[1])).toEqual(['21', '22', '23', '24', '25', '26', '27', '28', '29', '30']);
    expect(admin.requests[0]?.url).toBe(`/v1/conversations/${CONVERSATION}/deliveries?limit=200`);
  });

  it('says above the lines what they are, on a terminal alone', async () => {
    const look = (isTTY: boolean) => call(folderWith({}), ['tail', '--url', url, '--token', 't'], { isTTY, signal: AbortSignal.abort() });
    expect((await look(true)).stdout).toContain('conversation');
    expect((await look(false)).stdout).toBe('');
  });

  it('waits for a server that goes away, and says so once', async () => {
    admin.deliveries = [delivery(1)];
    const { lines, err } = await followed(null, [() => admin.close(), () => undefined]);
    expect([lines.length, err.match(/asking again until it answers/g)?.length]).toEqual([1, 1]);
  });

  it('ends with 1 when the server refuses the token or is not there, and with 0 when it is interrupted', async () => {
    const tail = (address: string, signal?: AbortSignal) =>
      call(folderWith({}), ['tail', '--url', address, '--token', 't'], signal ? { signal } : {});
    admin.status = 401;
    expect(await tail(url)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('answered 401: This token is not known; `throughline token create'),
    });
    expect(await tail('http://127.0.0.1:9')).toMatchObject({ code: 1, stderr: expect.stringContaining('is the server running?') });
    admin.status = 200;
    expect(await tail(url, AbortSignal.abort())).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('ends with 2 without a token, and for an id or address that is none', async () => {
    const cwd = folderWith({});
    expect(await call(cwd, ['tail'])).toMatchObject({ code: 2, stderr: expect.stringContaining('throughline token create') });
    expect(await call(cwd, ['tail', '--conversation', '7'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no id of a conversation'),
    });
    expect(await call(cwd, ['tail', '--url', 'localhost', '--token', 't'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no http or https'),
    });
  });

  it('takes the token that the first start left in the data folder', async () => {
    const cwd = folderWith({ 'data/admin-token': 'tl_first\n' });
    admin.status = 401;
    await call(cwd, ['tail'], { env: { THROUGHLINE_SERVER__PORT: new URL(url).port } });
    expect(admin.requests[0]?.headers.authorization).toBe('Bearer tl_first');
  });
});
