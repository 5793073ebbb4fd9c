import type { Terminal } from './terminal.js';

/** One call of the program. A command that ends without an exception, and yet did not succeed, says so here. */
export interface Run {
  readonly terminal: Terminal;
  exitCode: number;
}
