import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { isServerSetting } from '../runtimes/process/environment.js';
import { endGroup } from '../runtimes/process/process-group.js';

export interface BashCommand {
  readonly id: string;
  readonly kind: 'BashCommand';
  readonly timestamp: string;
  readonly command: string;
  readonly cwd: string;
  /** Seconds. */
  readonly timeout: number;
}

export interface BashOutput {
  readonly id: string;
  readonly kind: 'BashOutput';
  readonly timestamp: string;
  readonly command_id: string;
  readonly order: number;
  /** Null: it still runs; -1: it was ended. */
  readonly exit_code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type BashEvent = BashCommand | BashOutput;

/** What is printed within this time is one output. */
const GATHER_MS = 200;
const MOST_CHARACTERS = 256 * 1024;
const MOST_COMMANDS = 500;
const GRACE_MS = 2_000;

/** Shell commands, each the leader of a process group of its own, and what they print. Kept in memory, the newest of them. */
export class Commands {
  private readonly events: BashEvent[] = [];
  private readonly running = new Map<string, Running>();

  constructor(private readonly folder: string) {}

  start({ command, cwd = this.folder, timeout }: { command: string; cwd: string | undefined; timeout: number }): BashCommand {
    const begun: BashCommand = { id: randomUUID(), kind: 'BashCommand', timestamp: new Date().toISOString(), command, cwd, timeout };
    this.events.push(begun);
    this.forgetOldest();
    const running = new Running(begun, (output) => this.events.push(output));
    this.running.set(begun.id, running);
    void running.ended.then(() => this.running.delete(begun.id));
    return begun;
  }

  /** Resolves to its last output. */
  async finished(id: string): Promise<BashOutput> {
    await this.running.get(id)?.ended;
    return this.outputsOf(id).at(-1) as BashOutput;
  }

  search(kind: string | undefined, command: string | undefined): BashEvent[] {
    return this.events.filter(
      (event) =>
        (kind === undefined || event.kind === kind) &&
        (command === undefined || (event.kind === 'BashOutput' && event.command_id === command)),
    );
  }

  /** Ends all that run. */
  async close(): Promise<void> {
    await Promise.all([...this.running.values()].map((each) => each.stop()));
  }

  private outputsOf(id: string): BashOutput[] {
    return this.events.filter((event) => event.kind === 'BashOutput' && event.command_id === id) as BashOutput[];
  }

  private forgetOldest(): void {
    const commands = this.events.filter(({ kind }) => kind === 'BashCommand');
    const oldest = commands.find(({ id }) => !this.running.has(id));
    if (commands.length <= MOST_COMMANDS || oldest === undefined) return;
    const kept = this.events.filter((event) => event !== oldest && !(event.kind === 'BashOutput' && event.command_id === oldest.id));
    this.events.splice(0, this.events.length, ...kept);
  }
}

class Running {
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private readonly said = { stdout: '', stderr: '' };
  private order = 0;
  private characters = 0;
  private gathering: NodeJS.Timeout | null = null;
  private isStopped = false;

  constructor(
    private readonly command: BashCommand,
    private readonly tell: (output: BashOutput) => void,
  ) {
    this.child = spawn('bash', ['-c', command.command], {
      cwd: command.cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment(),
    });
    for (const stream of ['stdout', 'stderr'] as const)
      this.child[stream]?.setEncoding('utf8').on('data', (text: string) => this.gather(stream, text));
    const limit = setTimeout(() => void this.stop(), command.timeout * 1000);
    this.ended = new Promise((resolve) => {
      const end = (code: number | null) => {
        clearTimeout(limit);
        this.flush(this.isStopped || code === null ? -1 : code);
        resolve();
      };
      this.child.once('error', (error) => {
        this.gather('stderr', error.message);
        end(null);
      });
      this.child.once('close', end);
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.child.pid !== undefined) await endGroup(this.child.pid, GRACE_MS);
    await this.ended;
  }

  private gather(stream: 'stdout' | 'stderr', text: string): void {
    if (this.characters >= MOST_CHARACTERS) return;
    this.characters += text.length;
    this.said[stream] += text;
    this.gathering ??= setTimeout(() => this.flush(null), GATHER_MS);
  }

  private flush(exit_code: number | null): void {
    if (this.gathering !== null) clearTimeout(this.gathering);
    this.gathering = null;
    const { stdout, stderr } = this.said;
    if (exit_code === null && stdout === '' && stderr === '') return;
    Object.assign(this.said, { stdout: '', stderr: '' });
    const about = { id: randomUUID(), kind: 'BashOutput', timestamp: new Date().toISOString(), command_id: this.command.id } as const;
    this.tell({ ...about, order: this.order++, exit_code, stdout, stderr });
  }
}

/** Without what this server itself is told. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isServerSetting(name) && !IS_KEY.test(name)));
}

const IS_KEY = /^(OH_SESSION_API_KEYS_\d+|SESSION_API_KEY)$/;
