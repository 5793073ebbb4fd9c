import { appendFileSync } from 'node:fs';
import type { Moment, Point } from './points.js';

const LONGEST = 2000;

/** Waits for the n-th time that this process comes to a point, and kills it there. */
export class Trap {
  private left: number;
  private readonly transactions = new WeakMap<object, string[]>();

  constructor(
    private readonly point: Point,
    nth: number,
    private readonly report: string,
  ) {
    this.left = nth;
  }

  /** A connection begins a transaction; what it did before is no longer of interest. */
  begin(connection: object): void {
    this.transactions.set(connection, []);
  }

  statement(connection: object, moment: 'before statement' | 'after statement', sql: string): void {
    const text = normalised(sql);
    if (moment === 'before statement') this.transactions.get(connection)?.push(text);
    if (this.point.moment === moment && this.point.sees.every((pattern) => pattern.test(text))) this.reached();
  }

  commit(connection: object, moment: 'before commit' | 'during commit' | 'after commit'): void {
    if (this.point.moment !== moment) return;
    const done = this.transactions.get(connection) ?? [];
    if (this.point.sees.every((pattern) => done.some((text) => pattern.test(text)))) this.reached();
  }

  answer(moment: 'before answer' | 'after answer', address: string): void {
    if (this.point.moment === moment && this.point.sees.every((pattern) => pattern.test(address))) this.reached();
  }

  agent(moment: Extract<Moment, 'after spawn' | 'after input'>): void {
    if (this.point.moment === moment) this.reached();
  }

  /** What it reports is written before it dies: the report is how those outside know where that was. */
  private reached(): void {
    this.left -= 1;
    if (this.left > 0) return;
    appendFileSync(this.report, `${this.point.name}\n`);
    process.kill(process.pid, 'SIGKILL');
  }
}

function normalised(sql: string): string {
  return sql.slice(0, LONGEST).replace(/\s+/g, ' ').trim();
}
