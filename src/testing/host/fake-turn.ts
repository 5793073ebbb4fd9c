import type { ApprovalDecision, ApprovalRequest, TurnEvent, TurnInput } from '../../plugin/index.js';

/** What a turn of a fake agent comes to: its result. What it throws is what went wrong; `TurnFailed` counts as an attempt. */
export type Script = (turn: FakeTurn) => string | Promise<string>;

/** A turn of a fake agent, as its script sees it. */
export class FakeTurn {
  private readonly said: TurnEvent[] = [];
  private readonly asked = new Map<string, (decision: ApprovalDecision) => void>();
  private wake = () => {};

  constructor(
    readonly input: TurnInput,
    /** Aborted when the turn is to stop. */
    readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.wake(), { once: true });
  }

  /** The id of its conversation. */
  get conversation(): string {
    return this.input.conversation.id;
  }

  /** What the agent is given: the text of each message. */
  get texts(): readonly string[] {
    return this.input.turn.messages.map(({ text }) => text);
  }

  /** Says something on the way to its result. */
  say(event: TurnEvent): void {
    this.said.push(event);
    this.wake();
  }

  /** Asks a person; resolves to how they decided. */
  ask(request: ApprovalRequest): Promise<ApprovalDecision> {
    this.say({ type: 'approval', ...request });
    return this.unlessStopped((resolve) => this.asked.set(request.id, resolve));
  }

  decide(request: string, decision: ApprovalDecision): boolean {
    const resolve = this.asked.get(request);
    this.asked.delete(request);
    resolve?.(decision);
    return resolve !== undefined;
  }

  /** Rejects when the turn is to stop. */
  unlessStopped<Value>(wait: (resolve: (value: Value) => void) => void): Promise<Value> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.signal.reason as Error);
      if (this.signal.aborted) return stop();
      this.signal.addEventListener('abort', stop, { once: true });
      wait(resolve);
    });
  }

  async *play(script: Script): AsyncGenerator<TurnEvent> {
    let end: { readonly result: string } | { readonly error: unknown } | null = null;
    const played = Promise.resolve()
      .then(() => script(this))
      .then(
        (result) => {
          end = { result };
        },
        (error: unknown) => {
          end = { error };
        },
      )
      .finally(() => this.wake());
    for (;;) {
      yield* this.said.splice(0);
      this.signal.throwIfAborted();
      if (end !== null) break;
      await this.news(() => end !== null);
    }
    await played;
    const { result, error } = end as { result?: string; error?: unknown };
    if (result === undefined) throw error;
    yield { type: 'result', text: result };
  }

  private news(hasEnded: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (this.said.length > 0 || this.signal.aborted || hasEnded()) resolve();
    });
  }
}
