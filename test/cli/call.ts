import { program } from '../../src/cli/program.js';

export interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CallOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly isTTY?: boolean;
  /** What Ctrl-C aborts. */
  readonly signal?: AbortSignal;
}

/** Calls the program in this process, as from a shell in `cwd` whose environment is `env` alone. */
export async function call(cwd: string, args: readonly string[], { env = {}, isTTY = false, signal }: CallOptions = {}): Promise<Called> {
  const written = { out: '', err: '' };
  const code = await program(args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    out: { write: (text) => (written.out += text), isTTY },
    err: { write: (text) => (written.err += text) },
    interrupted: () => signal ?? new AbortController().signal,
  });
  return { code, stdout: written.out, stderr: written.err };
}

export function lastLine({ stdout }: Called): string {
  return stdout.trimEnd().split('\n').at(-1) ?? '';
}
