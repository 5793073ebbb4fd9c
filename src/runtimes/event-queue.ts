import type { TurnEvent } from '../plugin/index.js';
import { OutputBound } from './process/agent-output.js';

/** What an agent says, kept until somebody takes it. Never more than a turn may say, see `OutputBound`. */
export class EventQueue implements AsyncIterable<TurnEvent> {
  private readonly bound = new OutputBound();
  private waiting: TurnEvent[] = [];
  private isOver = false;
  private failure: { readonly error: unknown } | null = null;
  private wake = () => {};

  push(event: TurnEvent): void {
    if (this.isOver) return;
    this.waiting.push(...this.bound.take(event));
    this.wake();
  }

  /** Nothing more comes; what waits is still taken. */
  end(): void {
    this.isOver = true;
    this.wake();
  }

  fail(error: unknown): void {
    this.failure ??= { error };
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TurnEvent, void, undefined> {
    for (;;) {
      const taken = this.waiting;
      this.waiting = [];
      yield* taken;
      if (this.waiting.length > 0) continue;
      if (this.isOver) break;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (this.failure !== null) throw this.failure.error;
  }
}
