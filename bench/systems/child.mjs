// Processes of the benchmark. None outlives it, however it ends.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const GUARD = fileURLToPath(new URL('../../scripts/run/end-with-parent.cjs', import.meta.url));
const PATIENCE_MS = 60_000;
const running = new Set();
/** As `scripts/run.mjs` starts a server, and us; the peers get the same. */
const memoryFlags = process.execArgv.filter((flag) => flag.startsWith('--max-semi-space-size='));

// Before folders are removed: the guard is not heard by a process that is busy starting, and it would make its folder anew.
process.prependListener('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Node with the given arguments. `nodeFlags` come before the script. */
export function startNode(args, { cwd = process.cwd(), env = {}, ipc = false, nodeFlags = [] } = {}) {
  const child = spawn(process.execPath, ['--require', GUARD, ...memoryFlags, ...nodeFlags, ...args], {
    cwd,
    env: { ...process.env, ...env, RUN_GUARD: 'SIGKILL' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...(ipc ? ['ipc'] : [])], // fd 3: see the guard
    serialization: 'advanced',
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return new Child(child);
}

class Child {
  output = '';
  #child;
  #ended;

  constructor(child) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => this.#say(String(data)));
  }

  get pid() {
    return this.#child.pid;
  }

  get isRunning() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves to what the pattern's first group found in the output. */
  says(pattern) {
    return this.#orEnd((resolve) => {
      const look = () => {
        const found = pattern.exec(this.output)?.[1];
        if (found !== undefined) resolve(found);
      };
      this.#child.stdout.on('data', look);
      look();
    });
  }

  /** Sends a message; resolves to the next one that comes back. */
  message(message) {
    return this.#orEnd((resolve) => {
      this.#child.once('message', resolve);
      this.#child.send(message);
    });
  }

  /** Asks it to end, and insists after a while. */
  async end() {
    if (!this.isRunning) return this.#ended;
    this.#child.kill('SIGTERM');
    const insist = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS);
    return this.#ended.finally(() => clearTimeout(insist));
  }

  #say(text) {
    this.output = (this.output + text).slice(-20_000);
  }

  #orEnd(wait) {
    return new Promise((resolve, reject) => {
      wait(resolve);
      this.#ended.then((how) => reject(new Error(`the process ended with ${how}:\n${this.output}`)));
    });
  }
}
