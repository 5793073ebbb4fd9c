import { AsyncLocalStorage } from 'node:async_hooks';
import type { MikroORM } from '@mikro-orm/core';
import type { Dialect, Plans, Tx } from './tx.js';

const TRIES = 5;
const insideTransaction = new AsyncLocalStorage<true>();

/** The only way to the database: a store function without a `Tx` cannot be written. */
export class Database {
  constructor(
    readonly orm: MikroORM,
    readonly dialect: Dialect,
    private readonly store: { transaction<T>(work: (tx: Tx) => Promise<T>, plans: Plans): Promise<T> },
    private readonly unlock: () => void = () => undefined,
  ) {}

  /**
   * Runs the work in one transaction and resolves after its commit. What the database calls a conflict of transactions is
   * tried again, so the work must have no effect but its statements. Nothing slow may be awaited inside: no network, no agent, no sleep.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>, plans: Plans = 'free'): Promise<T> {
    if (insideTransaction.getStore()) throw new Error('a transaction was begun inside a transaction; pass its tx on instead');
    for (let tried = 1; ; tried++) {
      try {
        return await this.store.transaction((tx) => insideTransaction.run(true, () => work(tx)), plans);
      } catch (error) {
        if (tried === TRIES || this.dialect.fault(error) !== 'retry') throw error;
      }
    }
  }

  async close(): Promise<void> {
    await this.orm.close();
    this.unlock();
  }
}
