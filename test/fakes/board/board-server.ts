import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BoardComment {
  readonly id: string;
  readonly issue: string;
  readonly text: string;
  /** The id of the writer's own, where it gave one. */
  readonly marker: string | null;
  readonly at: string;
}

/** Where events are sent, and with which secret they are signed. */
export interface Hook {
  readonly url: string;
  readonly secret: string;
}

/** What the board does with a write: when its events go out, and what the writer is told. */
export interface Manner {
  /** `between`: to the first hook before the answer, to the others after it. */
  readonly events: 'before' | 'between' | 'after' | 'never';
  /** `drop`: it is written, and the connection ends without an answer. */
  readonly answer: 'ok' | 'drop' | 'fail' | 'refuse';
}

/** An issue tracker on this machine, whose writes come back as events to every hook, each of them twice. */
export class BoardServer {
  readonly comments: BoardComment[] = [];
  hooks: readonly Hook[] = [];
  manner: (text: string) => Manner = () => ({ events: 'after', answer: 'ok' });
  private readonly sending = new Set<Promise<unknown>>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<BoardServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new BoardServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A person writes; resolves when every hook has answered. */
  async say(issue: string, text: string): Promise<void> {
    const comment = this.add(issue, text, null);
    await this.send(comment, this.hooks);
  }

  /** Resolves when no event is on its way any more. */
  async settled(): Promise<void> {
    while (this.sending.size > 0) await Promise.all(this.sending);
  }

  async close(): Promise<void> {
    await this.settled();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, issue = ''] = /^\/issues\/([^/]+)\/comments$/.exec(request.url ?? '') ?? [];
    if (request.method === 'GET')
      return reply(
        response,
        200,
        this.comments.filter((comment) => comment.issue === issue),
      );
    const { text, marker } = JSON.parse(await bodyOf(request)) as { text: string; marker: string | null };
    const { events, answer } = this.manner(text);
    if (answer === 'refuse') return reply(response, 422, { error: 'refused' });
    const comment = this.add(issue, text, marker);
    const [first, ...others] = this.hooks;
    if (events === 'before') await this.send(comment, this.hooks);
    if (events === 'between' && first) await this.send(comment, [first]);
    if (answer === 'ok') reply(response, 201, comment);
    else if (answer === 'fail') reply(response, 500, { error: 'it broke' });
    else response.destroy();
    if (events === 'between') void this.send(comment, others);
    if (events === 'after') void this.send(comment, this.hooks);
  }

  private add(issue: string, text: string, marker: string | null): BoardComment {
    const comment = { id: `comment-${this.comments.length + 1}`, issue, text, marker, at: new Date().toISOString() };
    this.comments.push(comment);
    return comment;
  }

  /** To all at once, and to each a second time, as after an answer that got lost. */
  private send(comment: BoardComment, hooks: readonly Hook[]): Promise<void> {
    const sent = Promise.all(
      hooks.map(async (hook) => {
        await post(hook, comment);
        await post(hook, comment);
      }),
    ).then(() => undefined);
    this.sending.add(sent);
    const over = () => this.sending.delete(sent);
    sent.then(over, over);
    return sent;
  }
}

async function post({ url, secret }: Hook, comment: BoardComment): Promise<void> {
  const body = JSON.stringify(comment);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-board-signature': signature, 'x-board-delivery': comment.id };
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`the hook answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
