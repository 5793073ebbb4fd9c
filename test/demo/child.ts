import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What people run is built; this does nothing when the sources have not changed. */
export async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/run.mjs', 'build'], { cwd: root });
}

/** A program of ours that runs as a process of its own, as built. */
export class BuiltProcess {
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private readonly listeners = new Set<() => void>();

  /** `entry`: a file under dist/src. */
  constructor(entry: string, args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) {
    const env = { ...process.env, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1', ...options.env };
    this.child = spawn(process.execPath, [`${root}dist/src/${entry}`, ...args], {
      cwd: options.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = once(this.child, 'close').then(() => this.tell());
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        this.tell();
      });
    }
  }

  /** Resolves when the text has been printed; rejects when the process ends without it. */
  printed(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const hasEnded = this.child.exitCode !== null || this.child.signalCode !== null;
        if (!this.output.includes(text) && !hasEnded) return;
        this.listeners.delete(look);
        if (this.output.includes(text)) resolve();
        else reject(new Error(`it ended without “${text}”:\n${this.output}`));
      };
      this.listeners.add(look);
      look();
    });
  }

  /** Resolves when it has ended, to its exit code. */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal) this.child.kill(signal);
    await this.ended;
    return this.child.exitCode;
  }

  private tell(): void {
    for (const look of [...this.listeners]) look();
  }
}
