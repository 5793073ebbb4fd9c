import Sqlite from 'better-sqlite3';
import type { Trap } from './trap.js';

interface StatementMethods {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown;
}

/** Lets the trap see every statement of every SQLite connection of this process. */
export function watchSqlite(trap: Trap): void {
  watchTransactions(trap);
  const probe = new Sqlite(':memory:');
  const methods = Object.getPrototypeOf(probe.prepare('select 1')) as StatementMethods;
  for (const name of ['run', 'all'] as const) {
    const original = methods[name];
    methods[name] = function (this: Sqlite.Statement, ...values: unknown[]) {
      trap.statement(this.database, 'before statement', this.source);
      const result = original.apply(this, values);
      trap.statement(this.database, 'after statement', this.source);
      return result;
    };
  }
  probe.close();
}

function watchTransactions(trap: Trap): void {
  const connection = Sqlite.prototype as { exec(sql: string): unknown };
  const original = connection.exec;
  connection.exec = function (this: Sqlite.Database, sql: string) {
    if (/^begin\b/i.test(sql)) trap.begin(this);
    if (!/^commit\b/i.test(sql)) return original.call(this, sql);
    trap.commit(this, 'before commit');
    const result = original.call(this, sql);
    trap.commit(this, 'during commit');
    trap.commit(this, 'after commit');
    return result;
  };
}
