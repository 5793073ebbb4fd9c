import { request, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { comment } from '../core/builders.js';
import { delivered } from '../core/core.js';
import { eachDatabase } from '../databases.js';
import { ADMIN_TOKEN, AdminHost } from './admin-host.js';

/** As many as a server keeps. */
const MOST_STREAMS = 200;

/** What a server-sent events client sees. */
class Reader {
  private text = '';
  private wake: () => void = () => undefined;
  private isClosed = false;
  readonly cut: () => void;

  constructor(url: string, token = ADMIN_TOKEN) {
    const asked = request(url, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        this.text += chunk;
        this.wake();
      });
      response.on('close', () => {
        this.isClosed = true;
        this.wake();
      });
    });
    asked.on('error', () => undefined).end();
    this.cut = () => asked.destroy();
  }

  /** The conversations told so far, when one of them is as wanted. */
  async until(wanted: (conversation: any) => boolean): Promise<any[]> {
    for (;;) {
      const told = [...this.text.matchAll(/^event: activity\ndata: (.*)\n\n/gm)].map(([, data]) => JSON.parse(data ?? ''));
      if (told.some(wanted)) return told;
      await this.news();
    }
  }

  async closed(): Promise<string> {
    while (!this.isClosed) await this.news();
    return this.text;
  }

  private news(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

eachDatabase('the event stream of a conversation', (make) => {
  let host: AdminHost;
  let url: string;
  beforeAll(async () => {
    host = await AdminHost.start(make);
    await host.app.listen(0, '127.0.0.1');
    url = await host.app.getUrl();
  });
  afterAll(() => host.close());

  it('tells how the conversation is at once and after everything that happens, and nothing of others', async () => {
    const { conversation } = delivered(await host.core.admit(comment('1')));
    const reader = new Reader(`${url}/v1/conversations/${conversation}/events`);
    const [first] = await reader.until(({ status }) => status === 'queued');
    expect(first).toEqual((await host.get(`/v1/conversations/${conversation}`)).body);
    await host.core.admit(comment('other'));
    await host.core.admit(comment('1', 'more'));
    const told = await reader.until(({ queue }) => queue.pending === 2);
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set([conversation]));
    await host.post(`/v1/conversations/${conversation}/terminate`, {});
    await reader.until(({ state }) => state === 'terminal');
    reader.cut();
  });

  it('tells what another process did as well, each thing once, and looks for it only while somebody watches', async () => {
    const { conversation } = delivered(await host.core.admit(comment('elsewhere')));
    const { core: other, close } = await host.core.another();
    const reader = new Reader(`${url}/v1/conversations/${conversation}/events`);
    await reader.until(({ queue }) => queue.pending === 1);
    await other.admit(comment('elsewhere', 'more'));
    await reader.until(({ queue }) => queue.pending === 2);
    await other.operations.pause('default', conversation, 'ada');
    await reader.until(({ status }) => status === 'paused');
    await other.operations.terminate('default', conversation, 'enough', 'ada');
    const told = await reader.until(({ state }) => state === 'terminal');
    expect(told.map(({ status, queue }) => `${status} ${queue.pending}`)).toEqual(['queued 1', 'queued 2', 'paused 2', 'idle 0']);
    reader.cut();
    await close();
  });

  it('is refused without a token and for a conversation that does not exist', async () => {
    const missing = '/v1/conversations/00000000-0000-5000-8000-000000000000/events';
    expect((await host.get(missing)).status).toBe(404);
    expect((await host.get(missing, { token: null })).status).toBe(401);
    const { conversation } = delivered(await host.core.admit(comment('head')));
    const head = await fetch(`${url}/v1/conversations/${conversation}/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('of clients that leave before it begins, none takes a place', async () => {
    const { conversation } = delivered(await host.core.admit(comment('left')));
    const address = `${url}/v1/conversations/${conversation}/events`;
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { promise: allRead, resolve: lastReads } = Promise.withResolvers<void>();
    const { promise: allLeft, resolve: lastLeft } = Promise.withResolvers<void>();
    const [reads, left]: [Promise<unknown>[], ServerResponse[]] = [[], []];
    const { database } = host.core;
    const transaction = database.transaction.bind(database);
    const spy = jest.spyOn(database, 'transaction').mockImplementation((work) => {
      const read = gate.then(() => transaction(work));
      if (reads.push(read) === MOST_STREAMS) lastReads();
      return read;
    });
    const server: Server = host.app.getHttpServer();
    const onRequest = (_: unknown, response: ServerResponse) =>
      response.once('close', () => {
        if (left.push(response) === MOST_STREAMS) lastLeft();
      });
    server.on('request', onRequest);
    const readers = Array.from({ length: MOST_STREAMS }, () => new Reader(address));
    await allRead;
    for (const reader of readers) reader.cut();
    await allLeft;
    open();
    await Promise.all(reads);
    spy.mockRestore();
    server.off('request', onRequest);
    const late = await fetch(address, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    expect(late.status).toBe(200);
    await late.body?.cancel();
  });

  it('ends cleanly when the server stops', async () => {
    const { conversation } = delivered(await host.core.admit(comment('2')));
    const reader = new Reader(`${url}/v1/conversations/${conversation}/events`);
    await reader.until(() => true);
    await host.app.close();
    expect(await reader.closed()).toMatch(/\n\n$/);
    expect(host.core.signals.listenerCount('activity')).toBe(0);
  });
});
