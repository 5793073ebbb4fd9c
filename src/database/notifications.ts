import { setTimeout as delay } from 'node:timers/promises';
import { openPool } from './open-database.js';
import { type PostgresClient, type PostgresPool, types } from './postgresql.js';

export interface Listener {
  /** A message of another process, or of this one. */
  message(payload: string): void;
  /** It is heard from now on; what was said before may have been missed. */
  connected(): void;
  lost(reason: string): void;
  /** The address leads to a pooler, through which nothing is heard: no further try is made. */
  pooled(): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const PROOF_MS = 15_000;
const CHANNEL = 'throughline';

class Pooled extends Error {}

/**
 * A connection of its own on which PostgreSQL carries short messages between processes. Nothing is kept for whoever is not listening at
 * the moment, so a message may hasten something and must never be what it depends on.
 */
export class Notifications {
  private readonly stopping = new AbortController();
  private client: PostgresClient | null = null;
  private running: Promise<void> | null = null;

  constructor(
    private readonly url: string,
    private readonly listener: Listener,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  /** False: nobody can be told at the moment. At most 8,000 bytes. */
  async send(payload: string): Promise<boolean> {
    const { client } = this;
    if (client === null) return false;
    return client.query({ text: 'select pg_notify($1, $2)', values: [CHANNEL, payload], types }).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { pool, close } = await openPool(this.url);
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.listen(pool, () => {
          failures = 0;
        });
      } catch (error) {
        if (error instanceof Pooled) {
          this.listener.pooled();
          break;
        }
        if (!signal.aborted) this.listener.lost(error instanceof Error ? error.message : String(error));
      }
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
    await close();
  }

  /** Until the connection ends, or is found to be dead; then rejects. */
  private async listen(pool: PostgresPool, connected: () => void): Promise<void> {
    const client = await pool.connect();
    const { signal } = this.stopping;
    try {
      const ended = new Promise<never>((_, reject) => {
        client.on('error', (error) => reject(error ?? new Error('the connection failed')));
        client.on('end', () => reject(new Error('the connection was closed')));
        signal.addEventListener('abort', () => reject(new Error('stopping')), { once: true });
      });
      client.on('notification', ({ payload }) => this.listener.message(payload ?? ''));
      await Promise.race([ended, this.hear(client)]);
      connected();
      this.client = client;
      this.listener.connected();
      await Promise.race([ended, this.prove(client)]);
    } finally {
      this.client = null;
      client.release(true);
    }
  }

  private async hear(client: PostgresClient): Promise<void> {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    // A pooler hands statements to whichever process is free, so what this connection asks to hear another one would.
    if ((rows[0] as { pid: number }).pid !== client.processID) throw new Pooled();
    await client.query(`listen ${CHANNEL}`);
  }

  /** A connection whose other end has gone without a word fails at the next statement. */
  private async prove(client: PostgresClient): Promise<never> {
    for (;;) {
      await delay(PROOF_MS, undefined, { ref: false, signal: this.stopping.signal });
      await client.query('select 1');
    }
  }
}
