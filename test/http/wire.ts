import { connect } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** A client that writes what it likes: clients of libraries are too polite for these tests. */
export class Wire {
  private text = '';
  private readonly ended = Promise.withResolvers<void>();
  private readonly waiting: { needle: string; resolve: () => void }[] = [];

  private constructor(private readonly socket: ReturnType<typeof connect>) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.text += chunk;
      for (const { needle, resolve } of this.waiting) if (this.text.includes(needle)) resolve();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.ended.resolve());
  }

  static async open(app: NestFastifyApplication): Promise<Wire> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect(Number(new URL(await app.getUrl()).port), '127.0.0.1', resolve);
    await promise;
    return new Wire(socket);
  }

  send(...lines: string[]): this {
    this.socket.write(lines.join('\r\n'));
    return this;
  }

  /** Resolves when the server has said it. */
  async until(needle: string): Promise<string> {
    if (!this.text.includes(needle)) await new Promise<void>((resolve) => this.waiting.push({ needle, resolve }));
    return this.text;
  }

  /** Resolves with all that came, when the connection is gone. */
  async closed(): Promise<string> {
    await this.ended.promise;
    return this.text;
  }

  cut(): void {
    this.socket.destroy();
  }
}
