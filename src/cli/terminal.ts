import { styleText } from 'node:util';

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What a command knows of whoever started it. */
export interface Terminal {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly out: Output;
  readonly err: Output;
  /** Aborts when the command is to end: Ctrl-C, or SIGTERM. */
  interrupted(): AbortSignal;
}

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red';

/** Colours for people alone: not in files and pipes, and not for those who said NO_COLOR. */
export function painter({ out, env }: Terminal): (style: Style, text: string) => string {
  const coloured = out.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
}

/** How whoever started this command starts the next one: `npm run cli --`, `npx throughline`, or by name. */
export function callOf({ env }: Terminal): string {
  if (env.npm_command === 'exec') return 'npx throughline';
  return env.npm_lifecycle_event === 'cli' ? 'npm run cli --' : 'throughline';
}

export function say({ out }: Terminal, line: string): void {
  out.write(`${line}\n`);
}

export function processTerminal(): Terminal {
  process.stdout.on('error', endWithReader);
  return { cwd: process.cwd(), env: process.env, out: process.stdout, err: process.stderr, interrupted };
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  // Once: a second Ctrl-C ends a command that does not come to its end.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Whoever read the output has seen enough, as `head` does. */
function endWithReader(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
}
