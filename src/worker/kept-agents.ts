import { Logger } from '@nestjs/common';
import { endedAmong } from '../core/conversations/conversations.js';
import type { Database } from '../database/database.js';
import type { AgentRuntime } from '../plugin/index.js';
import type { WorkTable } from './work-table.js';

const LOOK_MS = 5_000;

/**
 * Lets go of what runtimes of this replica keep for conversations that have ended: the job of an end runs on any replica, and only this one
 * has the agent. Costs nothing while nothing is kept.
 */
export class KeptAgents {
  private readonly logger = new Logger('Cleanup');
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly table: Pick<WorkTable, 'runtimes'>,
    /** A runtime is not told of the end of a conversation that it works on. */
    private readonly isBusy: (conversation: string) => boolean,
    private readonly everyMs = LOOK_MS,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => {
      this.looking = this.looking
        .then(() => this.look())
        .catch((error: Error) => this.logger.warn(`cannot look at the agents that are kept: ${error.message}`));
    }, this.everyMs).unref();
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    await this.looking;
  }

  private async look(): Promise<void> {
    const kept = new Map(this.table.runtimes().map((runtime) => [runtime, runtime.kept?.() ?? []]));
    const all = [...new Set([...kept.values()].flat())];
    if (all.length === 0) return;
    const ended = new Set(await this.database.transaction((tx) => endedAmong(tx, all)));
    for (const [runtime, conversations] of kept)
      for (const id of conversations) if (ended.has(id) && !this.isBusy(id)) await this.retire(runtime, id);
  }

  /** What one runtime cannot let go of is tried again at the next look, and no matter of the others. */
  private async retire(runtime: AgentRuntime, conversation: string): Promise<void> {
    await runtime
      .retire?.(conversation)
      .catch((error: Error) => this.logger.warn(`${conversation}: its agent does not end: ${error.message}`));
  }
}
