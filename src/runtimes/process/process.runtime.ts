import { type AgentRuntime, type TurnEvent, TurnFailed, type TurnInput } from '../../plugin/index.js';
import { agentOutput } from './agent-output.js';
import { AgentProcess } from './agent-process.js';
import { durationText } from './duration-text.js';
import { agentEnvironment } from './environment.js';
import { commandFault } from './find-command.js';
import type { ProcessOptions } from './process-options.js';
import { turnDocument } from './turn-document.js';

/** The longest time that a timer can be set to, some 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs each turn as one process, whose group is gone when the turn ends, however it ends. */
export class ProcessRuntime implements AgentRuntime {
  constructor(private readonly options: ProcessOptions) {}

  async *startTurn(input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    signal.throwIfAborted();
    const { agent, startedAt } = await AgentProcess.start(this.options, input);
    const limits = new TurnLimits(agent, this.options, signal);
    try {
      yield { type: 'process', pid: agent.pid, startedAt };
      // Only now may it begin: whoever took the event above knows which group works on the turn.
      agent.give(turnDocument(input));
      yield* this.printed(agent, limits);
      await agent.finished(limits.onIdle);
      signal.throwIfAborted();
      const end = limits.exceeded ?? agent.exit;
      if (end !== 'exit code 0') throw new TurnFailed(end ?? 'no exit code', agent.errorText());
    } finally {
      limits.lift();
      await agent.dispose();
    }
  }

  async check(): Promise<string | null> {
    const { command, cwd } = this.options;
    return commandFault(command[0] ?? '', agentEnvironment(this.options)['PATH'], cwd ?? process.cwd());
  }

  private async *printed(agent: AgentProcess, limits: TurnLimits): AsyncGenerator<TurnEvent, void, undefined> {
    const output = agentOutput(this.options.output);
    for await (const chunk of agent.chunks(limits.onIdle)) yield* output.push(chunk);
    yield* output.end();
  }
}

/** What ends an agent before it ends by itself: its wall time, its silence, or our own wish. */
class TurnLimits {
  /** Which limit the agent met, or null. */
  exceeded: string | null = null;
  readonly onIdle = (): void => this.exceed(`timed out after ${durationText(this.options.idleTimeoutMs ?? 0)} without output`);
  private readonly onAbort = (): void => this.stop();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly agent: AgentProcess,
    private readonly options: ProcessOptions,
    private readonly signal: AbortSignal,
  ) {
    const { timeoutMs } = options;
    this.timer = setTimeout(() => this.exceed(`timed out after ${durationText(timeoutMs)}`), Math.min(timeoutMs, LONGEST_TIMER_MS));
    signal.addEventListener('abort', this.onAbort, { once: true });
    if (signal.aborted) this.stop();
  }

  lift(): void {
    clearTimeout(this.timer);
    this.signal.removeEventListener('abort', this.onAbort);
  }

  private exceed(limit: string): void {
    // A consumer that is still busy with the output of an agent that ended is not the agent's fault.
    if (this.agent.exit !== null) return;
    this.exceeded ??= limit;
    this.stop();
  }

  private stop(): void {
    // A group that does not end is reported where the turn waits for its end.
    this.agent.end().catch(() => {});
  }
}
