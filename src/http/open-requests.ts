import type { Server } from 'node:http';

/** How often it is looked whether all is answered, and how long that is waited for. */
const LOOK_MS = 50;
const LONGEST_MS = 10_000;

/**
 * The requests of a server that are not answered yet. Node waits a minute for a connection that was opened and has never asked anything,
 * as clients keep them: whoever stops would wait with it.
 */
export class OpenRequests {
  private count = 0;

  constructor(private readonly server: Server) {
    server.prependListener('request', (_request, response) => {
      this.count++;
      response.once('close', () => {
        this.count--;
      });
    });
  }

  /** Lets what was asked be answered, and closes what asks nothing. `closing`: no connection comes any more. */
  async endWith(closing: Promise<void>): Promise<void> {
    const until = performance.now() + LONGEST_MS;
    const timer = setInterval(() => {
      if (this.count === 0 || performance.now() > until) this.server.closeAllConnections();
    }, LOOK_MS);
    await closing.finally(() => clearInterval(timer));
  }
}
