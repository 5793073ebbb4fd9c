import type { PostgresClient, PostgresPool } from './postgresql.js';

export interface OpenPool {
  readonly pool: PostgresPool;
  readonly close: () => Promise<void>;
}

/** A pool that is opened when it is first asked for a connection. */
export class OwnConnection implements PostgresPool {
  private opened: Promise<OpenPool> | null = null;

  constructor(private readonly open: () => Promise<OpenPool>) {}

  async connect(): Promise<PostgresClient> {
    this.opened ??= this.open();
    return (await this.opened).pool.connect();
  }

  async close(): Promise<void> {
    await (await this.opened)?.close();
  }
}
