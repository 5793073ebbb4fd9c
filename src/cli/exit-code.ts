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

/** Errors of the network often have their reason in their cause, or in what they gather, or nothing but a code. */
export function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, code, cause, errors } = error as { message?: unknown; code?: unknown; cause?: unknown; errors?: unknown };
  if (message === 'fetch failed' && cause !== undefined) return messageOf(cause);
  if (typeof message === 'string' && message !== '') return message;
  return Array.isArray(errors) && errors.length > 0 ? messageOf(errors[0]) : String(code ?? error);
}
