import { CommanderError } from 'commander';
import { ConfigFault, InvalidInput } from '../plugin/index.js';
import type { Terminal } from './terminal.js';
import { UsageFault } from './usage-fault.js';

export const OK = 0;
export const FAILED = 1;
/** Trying again cannot help: the call or the configuration must change. */
export const WRONG_USAGE = 2;

/** Tells a person what went wrong, in the words of whoever found it, and says how the command ends. */
export function exitCodeOf(error: unknown, { err, env }: Terminal): number {
  // Commander has said it already. Help and version that were asked for are no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? OK : WRONG_USAGE;
  const stack = env.DEBUG && error instanceof Error ? error.stack : undefined;
  err.write(`throughline: ${stack ?? messageOf(error)}\n`);
  return error instanceof UsageFault || error instanceof ConfigFault || error instanceof InvalidInput ? WRONG_USAGE : FAILED;
}

/** Errors of the network often have their reason in their cause, or nothing but a code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (error.message === 'fetch failed' && error.cause !== undefined) return messageOf(error.cause);
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0) return messageOf(error.errors[0]);
  return error.message || code || error.name;
}
