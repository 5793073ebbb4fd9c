import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../dist/src/cli/throughline.js', import.meta.url));

/** `throughline agent-server` as a process of its own, always at one address, behind which it may be another one. */
export class AgentServerProcess {
  private readonly folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-agents-'));
  private child: ChildProcess | null = null;
  private address = '';
  /** Looks at each exchange: before it is passed on, and before its answer is. */
  watch: (stage: 'asked' | 'answered', call: string, body: string) => void | Promise<void> = () => {};

  private constructor(private readonly front: Server) {
    front.on('request', async (request, response) => {
      const call = `${request.method} ${request.url?.split('?')[0]}`;
      const body = await text(request);
      try {
        await this.watch('asked', call, body);
        const headers = { 'content-type': request.headers['content-type'] ?? 'application/json' };
        const answer = await fetch(`${this.address}${request.url}`, {
          method: request.method ?? 'GET',
          headers: body === '' ? {} : headers,
          ...(body !== '' && { body }),
        });
        const said = await answer.text();
        await this.watch('answered', call, said);
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(said);
      } catch {
        response.destroy();
      }
    });
  }

  static async start(): Promise<AgentServerProcess> {
    const front = createServer();
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const server = new AgentServerProcess(front);
    await server.begin();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.front.address() as AddressInfo).port}`;
  }

  async begin(): Promise<void> {
    const child = spawn(process.execPath, [PROGRAM, 'agent-server', '--port', '0', '--dir', this.folder], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.child = child;
    let printed = '';
    child.stdout.on('data', (data: Buffer) => (printed += String(data)));
    while (!/^listening on (\S+)\n/m.test(printed)) await once(child.stdout, 'data');
    this.address = /^listening on (\S+)$/m.exec(printed)?.[1] ?? '';
  }

  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** The words of a conversation's messages, by whoever said them. */
  async said(conversation: string, source: 'user' | 'agent'): Promise<string[]> {
    const asked = `${this.address}/api/conversations/${conversation}/events/search?kind=MessageEvent&source=${source}`;
    const { items } = (await (await fetch(asked)).json()) as { items: { llm_message: { content: { text: string }[] } }[] };
    return items.map(({ llm_message: { content } }) => content.map((part) => part.text).join(''));
  }

  /** As whoever tidies up there does. */
  async forget(conversation: string): Promise<void> {
    await fetch(`${this.address}/api/conversations/${conversation}`, { method: 'DELETE' });
  }

  async remove(): Promise<void> {
    await this.kill();
    this.front.closeAllConnections();
    await new Promise((resolve) => this.front.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
