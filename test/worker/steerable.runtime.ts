import type { TurnEvent, TurnInput, TurnMessage } from '../../src/plugin/index.js';
import { StagedRuntime, type StagedTurn } from './staged.runtime.js';

/** A staged runtime whose turns take messages, rest and go on, as long as they have not ended. */
export class SteerableRuntime extends StagedRuntime {
  readonly appended: number[] = [];
  readonly given: TurnMessage[] = [];
  readonly steps: string[] = [];
  /** False: it refuses what it is asked. */
  isWilling = true;
  private readonly live = new Map<string, StagedTurn>();

  override async *startTurn(input: TurnInput, signal: AbortSignal): AsyncIterable<TurnEvent> {
    const { id } = input.turn;
    const events = super.startTurn(input, signal);
    const turn = this.begun.at(-1);
    if (turn) this.live.set(id, turn);
    try {
      yield* events;
    } finally {
      this.live.delete(id);
    }
  }

  async append(turn: string, messages: readonly TurnMessage[]): Promise<boolean> {
    if (!this.isWilling || !this.live.has(turn)) return false;
    this.appended.push(...messages.map(({ sequence }) => sequence));
    this.given.push(...messages);
    return true;
  }

  async pause(turn: string): Promise<boolean> {
    if (!this.isWilling || !this.live.has(turn)) return false;
    this.steps.push('rests');
    return true;
  }

  async resume(turn: string): Promise<void> {
    if (this.live.has(turn)) this.steps.push('goes on');
  }
}
