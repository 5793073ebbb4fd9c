import { durationText } from '../process/duration-text.js';
import type { AcpOptions } from './acp-options.js';

/** The longest time that a timer can be set to, some 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Says when a turn has taken too long: the agent to take messages, all of it, or a silence after that. Time in which a person decides counts
 * for none of them.
 */
export class TurnWatch {
  private readonly starting: NodeJS.Timeout;
  private whole: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;
  private isStarted = false;
  private isHeld = false;
  private usedMs = 0;
  private since = 0;

  constructor(
    private readonly options: Pick<AcpOptions, 'timeoutMs' | 'idleTimeoutMs' | 'startTimeoutMs'>,
    private readonly exceed: (limit: string) => void,
  ) {
    const { startTimeoutMs } = options;
    this.starting = timer(startTimeoutMs, () => exceed(`the agent took no messages within ${durationText(startTimeoutMs)} of its start`));
    this.arm();
  }

  /** The agent takes messages. */
  started(): void {
    clearTimeout(this.starting);
    this.isStarted = true;
    this.watchSilence();
  }

  /** The agent was heard of. */
  sign(): void {
    if (!this.isHeld) this.idle?.refresh();
  }

  hold(isHeld: boolean): void {
    if (isHeld === this.isHeld) return;
    this.isHeld = isHeld;
    if (!isHeld) {
      this.arm();
      return;
    }
    this.usedMs += performance.now() - this.since;
    this.disarm();
  }

  lift(): void {
    clearTimeout(this.starting);
    this.disarm();
  }

  private arm(): void {
    const { timeoutMs } = this.options;
    this.since = performance.now();
    this.whole = timer(timeoutMs - this.usedMs, () => this.exceed(`timed out after ${durationText(timeoutMs)}`));
    this.watchSilence();
  }

  private watchSilence(): void {
    const { idleTimeoutMs } = this.options;
    if (!this.isStarted || idleTimeoutMs === null) return;
    clearTimeout(this.idle);
    this.idle = timer(idleTimeoutMs, () => this.exceed(`timed out after ${durationText(idleTimeoutMs)} without output`));
  }

  private disarm(): void {
    clearTimeout(this.whole);
    clearTimeout(this.idle);
  }
}

function timer(ms: number, action: () => void): NodeJS.Timeout {
  return setTimeout(action, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
}
