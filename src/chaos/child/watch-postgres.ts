import pg from 'pg';
import type { Trap } from './trap.js';

type Query = (this: object, ...args: unknown[]) => unknown;

/** Lets the trap see every statement of every PostgreSQL connection of this process. */
export function watchPostgres(trap: Trap): void {
  const client = pg.Client.prototype as unknown as { query: Query };
  const original = client.query;
  client.query = function (...args) {
    const sql = textOf(args[0]);
    if (sql === null) return original.apply(this, args);
    const isCommit = /^commit\b/i.test(sql);
    if (/^begin\b/i.test(sql)) trap.begin(this);
    if (isCommit) trap.commit(this, 'before commit');
    else trap.statement(this, 'before statement', sql);
    const result = original.apply(this, args);
    if (isCommit) trap.commit(this, 'during commit');
    if (!(result instanceof Promise)) return result;
    return result.then((value: unknown) => {
      if (isCommit) trap.commit(this, 'after commit');
      else trap.statement(this, 'after statement', sql);
      return value;
    });
  };
}

function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query;
  const { text } = (query ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text : null;
}
