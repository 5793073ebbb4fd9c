import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AttachmentSource } from '../../../src/plugin/index.js';

/** The files of a provider, some of which misbehave. `/<n>` has n bytes. */
export class FileServer {
  /** Path and authorization of every request. */
  readonly asked: string[] = [];
  private readonly server = createServer((request, response) => this.serve(request, response));
  /** Where `/elsewhere` leads. */
  elsewhere = '';

  static async start(): Promise<FileServer> {
    const made = new FileServer();
    await new Promise<void>((resolve) => made.server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    this.asked.push(`${url} ${headers.authorization ?? 'nobody'}`);
    const bytes = /^\/(\d+)$/.exec(url)?.[1];
    const lead = LEADS[url] ?? (url === '/elsewhere' ? `${this.elsewhere}/4` : undefined);
    if (bytes !== undefined) response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(Number(bytes), 'x'));
    else if (lead !== undefined) response.writeHead(302, { location: lead }).end('this way');
    else (MANNERS[url] ?? missing)(response);
  }
}

const LEADS: Readonly<Record<string, string>> = {
  '/round': '/round',
  '/near': '/3',
  '/inside': 'http://169.254.169.254/latest/meta-data',
  '/file': 'file:///etc/passwd',
};

const MANNERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/stated': (response) => void response.writeHead(200, { 'content-length': 50 * 1024 * 1024 }).write('x'),
  '/endless': pour,
  '/slow': (response) => void response.writeHead(200).write('x'),
  '/silent': () => undefined,
  '/short': (response) => void response.writeHead(200, { 'content-length': 100 }).write('only this', () => response.destroy()),
};

function missing(response: ServerResponse): void {
  response.writeHead(404).end('no such file');
}

function pour(response: ServerResponse): void {
  const part = Buffer.alloc(64 * 1024, 'x');
  const more = () => {
    if (response.destroyed) return;
    response.write(part, () => setImmediate(more));
  };
  response.on('error', () => undefined);
  response.writeHead(200);
  more();
}

/** A plugin's, for which a reference is the path of the file, and `?` before it an address that it does not say the length of. */
export function sourceOf(server: FileServer, origins: readonly string[] = [server.url]): AttachmentSource {
  return {
    locate: async ({ reference }) => ({
      ...{ url: server.url + reference, headers: { authorization: 'Bearer of the connection' }, origins },
      ...(reference === '/5' && { size: 6 }),
      ...(reference === '/huge' && { size: 30 * 1024 * 1024 }),
    }),
  };
}
