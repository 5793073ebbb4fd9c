import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { InvalidInput } from '../plugin/errors.js';
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
/** How long what is printed is waited for when the command itself has ended. */
const LINGER_MS = 100;
/** A variable by which all that a command begins is known. */
const MARK = 'AGENT_SERVER_COMMAND';

/** Shell commands, each the leader of a process group of its own, and what they print. Kept in memory, the newest of them. */
export class Commands {
  private readonly events: BashEvent[] = [];
  private readonly running = new Map<string, Running>();

  constructor(private readonly folder: string) {}

  /** Throws `InvalidInput` where its folder is none. */
  start({ command, cwd = this.folder, timeout }: { command: string; cwd: string | undefined; timeout: number }): BashCommand {
    if (!existsSync(cwd)) throw new InvalidInput(`cwd: there is no folder ${cwd}`);
    const begun: BashCommand = { id: randomUUID(), kind: 'BashCommand', timestamp: new Date().toISOString(), command, cwd, timeout };
    this.events.push(begun);
    this.forgetOldest();
    const running = new Running(begun, (output) => this.keep(output));
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

  /** Ends all that run, and what ended commands have left behind. */
  async close(): Promise<void> {
    await Promise.all([...this.running.values()].map((each) => each.stop()));
    await endMarked(new Set(this.events.flatMap((event) => (event.kind === 'BashCommand' ? [event.id] : []))), 'SIGKILL');
  }

  /** Of what a command prints the end is kept: there it says why it failed. */
  private keep(output: BashOutput): void {
    this.events.push(output);
    let characters = 0;
    for (const each of this.outputsOf(output.command_id).reverse()) {
      if (characters > MOST_CHARACTERS) this.events.splice(this.events.indexOf(each), 1);
      characters += each.stdout.length + each.stderr.length;
    }
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
  private gathering: NodeJS.Timeout | null = null;
  private isStopped = false;

  constructor(
    private readonly command: BashCommand,
    private readonly tell: (output: BashOutput) => void,
  ) {
    const env = { ...environment(), [MARK]: command.id };
    this.child = spawn('bash', ['-c', command.command], { cwd: command.cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
    for (const stream of ['stdout', 'stderr'] as const)
      this.child[stream]?.setEncoding('utf8').on('data', (text: string) => this.gather(stream, text));
    const limit = setTimeout(() => void this.stop(), command.timeout * 1000);
    this.ended = this.end().then((code) => {
      clearTimeout(limit);
      this.flush(this.isStopped || code === null ? -1 : code);
    });
  }

  /** With all that it has begun, also what left its group. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await endMarked(new Set([this.command.id]), 'SIGTERM');
    if (this.child.pid !== undefined) await endGroup(this.child.pid, GRACE_MS);
    await endMarked(new Set([this.command.id]), 'SIGKILL');
    await this.ended;
  }

  /** Resolves to its exit code; null: a signal ended it, or it could not be started. What it left behind may hold its pipes. */
  private end(): Promise<number | null> {
    return new Promise((resolve) => {
      this.child.once('error', (error) => {
        this.gather('stderr', error.message);
        resolve(null);
      });
      this.child.once('close', resolve);
      this.child.once('exit', (code) => setTimeout(() => resolve(code), LINGER_MS));
    });
  }

  private gather(stream: 'stdout' | 'stderr', text: string): void {
    this.said[stream] = (this.said[stream] + text).slice(-MOST_CHARACTERS);
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

/** Every process that was begun with the mark of one of these commands. */
async function endMarked(commands: ReadonlySet<string>, signal: NodeJS.Signals): Promise<void> {
  const names = await readdir('/proc').catch(() => []);
  for (const name of names.filter((each) => /^\d+$/.test(each))) {
    const environ = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    const mark = environ.split('\0').find((variable) => variable.startsWith(`${MARK}=`));
    if (mark === undefined || !commands.has(mark.slice(MARK.length + 1))) continue;
    try {
      process.kill(Number(name), signal);
    } catch {
      // It has ended.
    }
  }
}

/** Without what this server itself is told. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isServerSetting(name) && !IS_KEY.test(name)));
}

const IS_KEY = /^(OH_SESSION_API_KEYS_\d+|SESSION_API_KEY)$/;
