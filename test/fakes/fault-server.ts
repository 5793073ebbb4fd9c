import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request as a provider's server gets it. */
export interface Call {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What becomes of a call.
 *
 * - `ok`: it is carried out and answered.
 * - `drop`: it is carried out, and the connection ends without an answer.
 * - `break`: it is carried out, and answered with 502.
 * - `hang`: it is carried out, and never answered.
 * - an answer: it is not carried out.
 */
export type Manner = 'ok' | 'drop' | 'break' | 'hang' | Answer;

/** A provider's API on this machine, which misbehaves on command. */
export abstract class FaultServer {
  /** Every call, in order. */
  readonly calls: Call[] = [];
  /** Resolved by each call, so that tests wait for one instead of sleeping. */
  private heard: (() => void)[] = [];
  manner: (call: Call) => Manner = () => 'ok';

  protected constructor(private readonly server: Server = createServer()) {
    server.on('request', (request, response) => void this.serve(request, response));
  }

  protected abstract answer(call: Call): Answer | Promise<Answer>;

  protected async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves with the next call. */
  async nextCall(): Promise<Call> {
    const before = this.calls.length;
    await new Promise<void>((resolve) => this.heard.push(resolve));
    return this.calls[before] as Call;
  }

  /** The next call that fits is dealt with like this, and no other. */
  once(fits: (call: Call) => boolean, manner: Manner): void {
    let used = false;
    const before = this.manner;
    this.manner = (call) => {
      if (used || !fits(call)) return before(call);
      used = true;
      return manner;
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const call: Call = { method, path, headers, body: await text(request) };
    this.calls.push(call);
    for (const resolve of this.heard.splice(0)) resolve();
    const manner = this.manner(call);
    const answer = typeof manner === 'object' ? manner : await this.answer(call);
    if (manner === 'drop') return void response.destroy();
    if (manner === 'hang') return;
    if (manner === 'break') return send(response, { status: 502, body: 'Bad gateway' });
    send(response, answer);
  }
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json; charset=utf-8', ...headers });
  // Bytes are JSON that JSON.stringify would not write.
  response.end(isText || body === null || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}
