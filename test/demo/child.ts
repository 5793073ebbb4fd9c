import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The demo as people run it is built; this does nothing when the sources have not changed. */
export async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/run.mjs', 'build'], { cwd: root });
}

/** A demo that runs as a process of its own. */
export class DemoProcess {
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<[code: number | null, signal: NodeJS.Signals | null]>;

  constructor(args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) {
    const env = { ...process.env, NODE_OPTIONS: '', ...options.env };
    this.child = spawn(process.execPath, [`${root}dist/src/demo/main.js`, ...args], {
      cwd: options.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = once(this.child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
  }

  /** Resolves when the text has been printed; rejects when the demo ends without it. */
  async printed(text: string): Promise<void> {
    const end = this.ended.then(() => {
      throw new Error(`the demo ended without “${text}”:\n${this.output}`);
    });
    while (!this.output.includes(text)) await Promise.race([end, once(this.child.stdout as NodeJS.ReadableStream as never, 'data')]);
    end.catch(() => undefined);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  async exitCode(): Promise<number | null> {
    const [code] = await this.ended;
    return code;
  }
}
