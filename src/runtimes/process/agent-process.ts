import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { TurnFailed, type TurnInput } from '../../plugin/index.js';
import { turnEnvironment } from './environment.js';
import { commandFault } from './find-command.js';
import { endGroup } from './process-group.js';
import { identityAtStart } from './process-identity.js';
import type { AgentCommand } from './process-options.js';
import { StderrTail } from './stderr-tail.js';

/** How long an open pipe may stay silent once the whole group is gone: somebody who left the group holds it. */
const LINGER_MS = 250;

/** One agent at work: the leader of a process group of its own, its pipes, and its end. */
export class AgentProcess {
  /** `exit code 0`, `signal SIGKILL`; null while the leader runs. */
  exit: string | null = null;
  private readonly exited: Promise<void>;
  private readonly closed: Promise<void>;
  private readonly stderr: StderrTail;
  private ending: Promise<void> | null = null;
  private groupGone = false;
  /** Called when something happened that the timers of a wait depend on. */
  private onSign: () => void = () => {};

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    readonly pid: number,
    private readonly options: AgentCommand,
  ) {
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(this.onExit(code, signal))));
    this.closed = new Promise((resolve) => child.once('close', () => resolve()));
    this.stderr = new StderrTail(child.stderr, () => this.onSign());
    // An agent need not read its input: the pipe then breaks, which is no failure.
    child.stdin.on('error', () => {});
    // Without a listener Node throws away at exit what nobody has begun to read.
    child.stdout.on('readable', () => {});
  }

  /** Starts the agent. Throws `TurnFailed` when the command cannot be started. */
  static async start(options: AgentCommand, input: TurnInput): Promise<{ agent: AgentProcess; startedAt: string }> {
    const [command = '', ...args] = options.command;
    const cwd = options.cwd ?? input.workspace;
    const env = turnEnvironment(options, input);
    try {
      const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe' });
      const { pid } = child;
      if (pid === undefined) throw (await once(child, 'error'))[0];
      const agent = new AgentProcess(child, pid, options);
      return { agent, startedAt: await identityAtStart(pid) };
    } catch (cause) {
      const fault = await commandFault(command, env['PATH'], cwd);
      throw new TurnFailed(fault ?? `the agent command ${command} cannot be started: ${(cause as Error).message}`);
    }
  }

  /** Writes the agent's input and closes it. */
  give(document: string): void {
    this.child.stdin.end(document);
  }

  /** Writes to the agent's input, which stays open. Resolves when the agent has taken it, or can take nothing any more. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.child.stdin.write(text, () => resolve()));
  }

  /** Nothing more comes. */
  closeInput(): void {
    this.child.stdin.end();
  }

  /** Waits a little for the exit of an agent that has nothing more to say; false: it still runs. */
  async exitsWithin(limitMs: number): Promise<boolean> {
    await Promise.race([this.exited, delay(limitMs, undefined, { ref: false })]);
    return this.exit !== null;
  }

  /** What the agent prints, no faster than it is taken. Ends with the pipe, or with the group when others hold the pipe open. */
  async *chunks(onIdle: () => void): AsyncGenerator<Buffer, void, undefined> {
    const { stdout } = this.child;
    const iterator: AsyncIterator<Buffer> = stdout[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.attend(iterator.next(), onIdle);
        if (next.done) return;
        yield next.value;
      }
    } catch (error) {
      if (!stdout.destroyed) throw error;
    }
  }

  /** Resolves when the leader has exited, no member of its group lives, and stderr is read. */
  async finished(onIdle: () => void): Promise<void> {
    await this.attend(this.exited, onIdle);
    await this.end();
    await Promise.race([this.closed, delay(LINGER_MS, undefined, { ref: false })]);
  }

  /** Resolves when the leader has exited, by whatever cause, and no member of its group lives. */
  async gone(): Promise<void> {
    await this.exited;
    await this.end();
  }

  /** The last 4 KB of stderr, or null. */
  errorText(): string | null {
    return this.stderr.text();
  }

  /** Ends the whole group, however far it got; repeated calls wait for the same end. */
  end(): Promise<void> {
    this.ending ??= endGroup(this.pid, this.options.graceMs).then(() => {
      this.groupGone = true;
      this.onSign();
    });
    return this.ending;
  }

  /** Ends what still runs and lets go of the pipes. */
  async dispose(): Promise<void> {
    try {
      await this.end();
    } finally {
      this.child.stdin.destroy();
      this.child.stdout.destroy();
      this.child.stderr.destroy();
    }
  }

  private onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.exit = signal === null ? `exit code ${code}` : `signal ${signal}`;
    // What the leader left behind would work on beside the next turn. A failure shows where the end is awaited.
    this.end().catch(() => {});
  }

  /** Waits for the agent, with the timers that run only while we wait for it and not while it waits for us. */
  private async attend<T>(sign: Promise<T>, onIdle: () => void): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const arm = (): void => {
      clearTimeout(timer);
      if (this.groupGone) timer = setTimeout(() => setImmediate(letGo), LINGER_MS);
      else if (this.ending === null && this.options.idleTimeoutMs !== null) timer = setTimeout(onIdle, this.options.idleTimeoutMs);
    };
    // Data that came while this process was busy is read between a timer and an immediate, and is then not cut off.
    const letGo = (): void => {
      if (this.onSign === arm) this.child.stdout.destroy();
    };
    this.onSign = arm;
    arm();
    try {
      return await sign;
    } finally {
      clearTimeout(timer);
      this.onSign = () => {};
    }
  }
}
