import { AsyncLocalStorage } from 'node:async_hooks';
import type { MikroORM } from '@mikro-orm/core';
import type { Dialect, Plans, Tx } from './tx.js';

const TRIES = 5;
const insideTransaction = new AsyncLocalStorage<true>();

export interface Store {
  transaction<T>(work: (tx: Tx) => Promise<T>, plans: Plans): Promise<T>;
}

interface Extras {
  /** A way on which nothing else goes. */
  readonly beside?: Store;
  /** What is to be let go of when the database is closed. */
  readonly close?: () => void | Promise<void>;
}

/** The only way to the database: a store function without a `Tx` cannot be written. */
export class Database {
  constructor(
    readonly orm: MikroORM,
    readonly dialect: Dialect,
    private readonly store: Store,
    private readonly extras: Extras = {},
  ) {}

  /**
   * Runs the work in one transaction and resolves after its commit. What the database calls a conflict of transactions is
   * tried again, so the work must have no effect but its statements. Nothing slow may be awaited inside: no network, no agent, no sleep.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, plans: Plans = 'free'): Promise<T> {
    return this.through(this.store, work, plans);
  }

  /** As `transaction`, but it waits for no connection that others hold: for what keeps a lease. */
  beside<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.through(this.extras.beside ?? this.store, work, 'free');
  }

  async close(): Promise<void> {
    await this.orm.close();
    await this.extras.close?.();
  }

  private async through<T>(store: Store, work: (tx: Tx) => Promise<T>, plans: Plans): Promise<T> {
    if (insideTransaction.getStore()) throw new Error('a transaction was begun inside a transaction; pass its tx on instead');
    for (let tried = 1; ; tried++) {
      try {
        return await store.transaction((tx) => insideTransaction.run(true, () => work(tx)), plans);
      } catch (error) {
        if (tried === TRIES || this.dialect.fault(error) !== 'retry') throw error;
      }
    }
  }
}
