import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../server-process.js';

const NOTE = 'note-';

/** Where agents wait until a test lets them go on: `/<conversation>/<point>`. What they note is answered at once. */
export class Gates {
  private readonly waiting = new Map<string, Set<ServerResponse>>();
  private readonly opened = new Set<string>();
  private readonly noted: string[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', ({ url = '' }, response) => this.arrive(url.slice(1), response));
  }

  static async start(): Promise<Gates> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Gates(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves while an agent waits there. */
  reached(conversation: string, point: string, signal: AbortSignal): Promise<void> {
    return until(() => (this.waiting.get(`${conversation}/${point}`)?.size ?? 0) > 0, signal);
  }

  /** Whoever waits there goes on, and whoever comes later does not wait. */
  open(conversation: string, point: string): void {
    const place = `${conversation}/${point}`;
    this.opened.add(place);
    for (const response of this.waiting.get(place) ?? []) response.end();
  }

  /** What agents of the conversation have noted, in order. */
  notes(conversation: string): string[] {
    const start = `${conversation}/${NOTE}`;
    return this.noted.filter((place) => place.startsWith(start)).map((place) => place.slice(start.length));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private arrive(place: string, response: ServerResponse): void {
    const isNote = place.includes(`/${NOTE}`);
    if (isNote) this.noted.push(place);
    if (isNote || this.opened.has(place)) return void response.end();
    const here = this.waiting.get(place) ?? new Set();
    this.waiting.set(place, here.add(response));
    response.once('close', () => here.delete(response));
  }
}
