import { type AgentRuntime, type TurnEvent, TurnFailed, type TurnInput } from '../../src/plugin/index.js';

type Step = { readonly say: TurnEvent } | { readonly end: 'done' } | { readonly fault: Error };

/** A turn that goes on only as its test says. */
export class StagedTurn {
  private readonly steps: Step[] = [];
  private wake = () => {};
  isAborted = false;

  constructor(readonly input: TurnInput) {}

  get sequences(): number[] {
    return this.input.turn.messages.map(({ sequence }) => sequence);
  }

  say(event: TurnEvent): void {
    this.push({ say: event });
  }

  finish(result = 'ok'): void {
    this.push({ say: { type: 'result', text: result } });
    this.push({ end: 'done' });
  }

  fail(message: string): void {
    this.push({ fault: new TurnFailed(message, 'what it printed') });
  }

  crash(message: string): void {
    this.push({ fault: new Error(message) });
  }

  async *run(signal: AbortSignal): AsyncIterable<TurnEvent> {
    const abort = () => {
      this.isAborted = true;
      this.push({ fault: signal.reason as Error });
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    for (;;) {
      const step = this.steps.shift() ?? (await this.next());
      if (step === undefined) continue;
      if ('fault' in step) throw step.fault;
      if ('end' in step) return;
      yield step.say;
    }
  }

  private push(step: Step): void {
    this.steps.push(step);
    this.wake();
  }

  private async next(): Promise<Step | undefined> {
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    return this.steps.shift();
  }
}

/** Hands every turn that is begun to the test. */
export class StagedRuntime implements AgentRuntime {
  readonly begun: StagedTurn[] = [];
  private readonly unseen: StagedTurn[] = [];
  private wake = () => {};

  startTurn(input: TurnInput, signal: AbortSignal): AsyncIterable<TurnEvent> {
    const turn = new StagedTurn(input);
    this.begun.push(turn);
    this.unseen.push(turn);
    this.wake();
    return turn.run(signal);
  }

  /** The next turn that is begun, in the order of their beginnings. */
  async next(): Promise<StagedTurn> {
    for (;;) {
      const turn = this.unseen.shift();
      if (turn) return turn;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
