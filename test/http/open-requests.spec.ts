import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OpenRequests } from '../../src/http/open-requests.js';

describe('a server that stops', () => {
  let server: Server;
  let requests: OpenRequests;
  const asked: ServerResponse[] = [];

  beforeEach(async () => {
    server = createServer((_request, response) => void asked.push(response));
    requests = new OpenRequests(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    asked.splice(0);
    server.closeAllConnections();
  });

  const connection = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const close = () => requests.endWith(new Promise((resolve) => server.close(() => resolve())));

  it('does not wait for a connection that has never asked anything', async () => {
    const idle = await connection();
    const begun = performance.now();
    await close();
    expect(performance.now() - begun).toBeLessThan(5000);
    if (!idle.closed) await once(idle, 'close');
  });

  it('answers first what was asked', async () => {
    const socket = await connection();
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    await once(server, 'request');
    let isClosed = false;
    const closed = close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isClosed).toBe(false);
    asked[0]?.end('done');
    const [said] = await once(socket, 'data');
    expect(String(said)).toContain('200 OK');
    await closed;
  });
});
