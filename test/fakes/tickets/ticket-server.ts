import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface TicketComment {
  readonly id: string;
  readonly text: string;
  readonly client: string;
}

/** The API of the tickets' provider, on this machine. */
export class TicketServer {
  state: 'open' | 'closed' = 'open';
  updated = '2026-01-01T10:00:00Z';
  /** False: comments are written and not answered. */
  answers = true;
  /** True: comments are refused. */
  refuses = false;
  readonly comments: TicketComment[] = [];
  readonly labels: string[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', async (request, response) => {
      const answer = await this.answer(request);
      if (answer === null) response.destroy();
      else if (answer === 'refused') response.writeHead(403).end();
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  }

  static async start(): Promise<TicketServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TicketServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage): Promise<unknown> {
    const [, , id, what] = (request.url ?? '').split('/');
    if (request.method === 'GET') return what === 'comments' ? this.comments : { id: Number(id), state: this.state, updated: this.updated };
    const body = (await json(request)) as { text: string; client: string; label: string };
    if (what === 'labels') return { count: this.labels.push(body.label) };
    if (this.refuses) return 'refused';
    const comment = { id: `c${this.comments.length + 1}`, text: body.text, client: body.client };
    this.comments.push(comment);
    return this.answers ? comment : null;
  }
}
