import type { AgentProcess } from './agent-process.js';
import { durationText } from './duration-text.js';
import type { ProcessOptions } from './process-options.js';

/** The longest time that a timer can be set to, some 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What ends an agent before it ends by itself: its wall time, its silence, or our own wish. */
export class TurnLimits {
  /** Which limit the agent met, or null. */
  exceeded: string | null = null;
  readonly onIdle = (): void => this.exceed(`timed out after ${durationText(this.options.idleTimeoutMs ?? 0)} without output`);
  private readonly onAbort = (): void => this.stop();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly agent: AgentProcess,
    private readonly options: Pick<ProcessOptions, 'timeoutMs' | 'idleTimeoutMs'>,
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
