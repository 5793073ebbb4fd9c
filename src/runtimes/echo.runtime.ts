import { setTimeout as delay } from 'node:timers/promises';
import { type AgentRuntime, type TurnEvent, TurnFailed, type TurnInput } from '../plugin/index.js';

export interface EchoOptions {
  readonly delayMs: number;
  /** Text that makes a turn fail when one of its messages holds it; null: none does. */
  readonly fail: string | null;
}

/** Answers with the text it got, in this process: for demos, tests and benchmarks. */
export class EchoRuntime implements AgentRuntime {
  constructor(private readonly options: EchoOptions) {}

  async *startTurn(input: TurnInput, signal: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    await this.linger(signal);
    const texts = input.turn.messages.map(({ text }) => text);
    const { fail } = this.options;
    if (fail !== null && texts.some((text) => text.includes(fail))) {
      throw new TurnFailed(`the message holds ${JSON.stringify(fail)}, which this echo runtime fails on`);
    }
    yield { type: 'text', text: texts.join('\n') };
  }

  private async linger(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.options.delayMs === 0) return;
    // The timer rejects with an error of its own; the contract asks for the signal's reason.
    await delay(this.options.delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
