import { setTimeout as pause } from 'node:timers/promises';
import type { Conversation, Ledger } from './ledger.js';
import type { Progress } from './progress.js';
import type { Table } from './screen/table.js';

const POLL_MS = 120;
const LIVE = ['active', 'pausing', 'paused'];

/** Looks at the conversations that have work, tells of each turn when it has ended, and knows when everything is completed. */
export class TurnWatch {
  /** Conversations with work, and how often something new came to them. */
  private readonly busy = new Map<string, number>();
  private readonly known = new Map<string, Conversation>();
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly ledger: Ledger,
    private readonly progress: Progress,
    private readonly table: Table,
  ) {}

  follow(conversation: string): void {
    this.busy.set(conversation, (this.busy.get(conversation) ?? 0) + 1);
  }

  async conversation(id: string): Promise<Conversation> {
    const conversation = this.known.get(id) ?? (await this.ledger.conversation(id));
    this.known.set(id, conversation);
    return conversation;
  }

  /** Resolves when no delivery waits or is worked on. */
  async rest(): Promise<void> {
    if (this.busy.size > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const id of [...this.busy.keys()]) await this.look(id);
      if (this.busy.size === 0) for (const resolve of this.waiting.splice(0)) resolve();
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(id: string): Promise<void> {
    const seen = this.busy.get(id);
    const conversation = await this.ledger.conversation(id);
    // Read after the queue: of an empty queue all turns have ended.
    const turns = await this.ledger.turnsOf(id);
    for (const turn of turns) if (!LIVE.includes(turn.state) && this.progress.noteTurn(turn.id)) this.table.turn(turn, conversation);
    const { held, pending, claimed } = conversation.queue;
    if (held + pending + claimed === 0 && this.busy.get(id) === seen) this.busy.delete(id);
  }
}
