import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '../../demo/package-folder.js';

export interface ServerChildOptions {
  readonly folder: string;
  /** File that what the server says is added to. */
  readonly log: string;
  readonly env: Readonly<Record<string, string>>;
  /** Told of every line that the server prints. */
  readonly onLine: (line: string) => void;
}

/** What a server is told when it may begin. */
export interface Orders {
  /** Where it is to be killed, for the n-th time that it comes there; null: not by itself. */
  readonly point: string | null;
  readonly nth: number;
  /** File in which it says that it came there. */
  readonly report: string;
}

const LISTENS = /Throughline listens on (\S+)/;

/** One incarnation of the built server: a process that is loaded, begins when it may, and can be killed, paused and waited for. */
export class ServerChild {
  private readonly child: ChildProcess;
  /** Resolves to how it ended: an exit code or a signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves when it works; never, if it ends before. */
  readonly works: Promise<void>;
  lastLine = '';
  private onWorks = () => {};
  private rest = '';

  constructor(private readonly options: ServerChildOptions) {
    // As built, also when this runs from its sources in a test: that is what users run.
    const built = path.join(packageFolder(), 'dist', 'src');
    const preload = pathToFileURL(path.join(built, 'chaos', 'child', 'preload.js')).href;
    this.child = spawn(process.execPath, [...memoryFlags(), '--no-warnings', '--import', preload, path.join(built, 'main.js')], {
      cwd: options.folder,
      env: { ...ownEnvironment(), ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C is for the program that started it.
      detached: true,
    });
    this.works = new Promise((resolve) => {
      this.onWorks = resolve;
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (data: Buffer) => this.take(data));
    this.child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => this.child.once('exit', (code, signal) => resolve(code ?? signal ?? 'SIGKILL')));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  begin(orders: Orders): void {
    this.child.stdin?.end(`${JSON.stringify(orders)}\n`);
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.hasEnded) this.child.kill(signal);
  }

  private take(data: Buffer): void {
    appendFileSync(this.options.log, data);
    const lines = (this.rest + data.toString()).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      this.lastLine = line;
      if (LISTENS.test(line)) this.onWorks();
      this.options.onLine(line);
    }
  }
}

/** Settings of other servers, and of the chaos around this one, must not reach into it. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(THROUGHLINE|CHAOS)_/i.test(name)));
}

/** How `scripts/run.mjs` starts a server, and us. */
function memoryFlags(): string[] {
  return process.execArgv.filter((flag) => flag.startsWith('--max-semi-space-size='));
}
