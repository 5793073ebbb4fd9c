import { Logger } from '@nestjs/common';
import { changedPlacements, type Placement, placeConversations } from '../core/conversations/place-conversations.js';
import { BEFORE_ALL, unparkConfigured } from '../core/deliveries/unpark.js';
import type { RecoverySummary } from '../core/recovery/recover.js';
import { type ResumedCleanup, resumeCleanup } from '../core/recovery/resume-cleanup.js';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/tx.js';
import type { Membership } from '../worker/membership.js';
import type { Worker } from '../worker/worker.js';

/** What lives beside the worker, from the start to the end of the process. */
export interface Companion {
  /** Before the first event is accepted. */
  prepare?(): Promise<void>;
  /** Before what an earlier process left behind is taken over. */
  begin?(): void;
  /** After what an earlier process left behind was taken over. */
  ready?(): Promise<void>;
  /** Takes nothing more in. */
  drain?(): Promise<void>;
  /** After the last turn. */
  end?(): Promise<void>;
}

export type Phase = 'starting' | 'recovering' | 'running' | 'stopping';

/** From the first accepted event to the last ended turn: what happens in which order. */
export class Lifecycle {
  private readonly logger = new Logger('Server');
  private current: Phase = 'starting';

  constructor(
    private readonly database: Database,
    private readonly membership: Membership,
    private readonly worker: Worker,
    private readonly placements: readonly Placement[],
    private readonly companions: readonly Companion[] = [],
  ) {}

  get phase(): Phase {
    return this.current;
  }

  /** The lease was lost, and is not taken anew yet. */
  get isSuperseded(): boolean {
    return this.current === 'running' && this.membership.owner === null;
  }

  /** While the schema is right and nobody can come in yet. */
  async prepare(): Promise<void> {
    for (const companion of this.companions) await companion.prepare?.();
  }

  /** Takes over what an earlier process left, then works. Events are accepted meanwhile. */
  async begin(): Promise<void> {
    this.current = 'recovering';
    for (const companion of this.companions) companion.begin?.();
    const summary = await this.membership.join();
    const moved = await this.place();
    const unparked = await this.unpark();
    this.tell(summary, await resumeCleanup(this.database));
    if (moved > 0) this.logger.log(`${moved} conversations moved to the workspaces that their routes name now`);
    if (unparked > 0)
      this.logger.log(
        `${unparked} conversations that waited for a change of the configuration, or of what turns may cost, are looked at again`,
      );
    for (const companion of this.companions) await companion.ready?.();
    this.current = 'running';
    this.worker.start();
  }

  private tell(recovered: RecoverySummary, { adopted, hurried, failed }: ResumedCleanup): void {
    const { deadReplicas, repaired, endedProcesses } = recovered;
    const done = [
      ...Object.entries(repaired).map(([what, count]) => `${what} ${count}`),
      ...[
        `agent processes ${endedProcesses}`,
        `ends adopted ${adopted}`,
        `cleanups hurried ${hurried}`,
        `failed ${recovered.failed.length}`,
      ],
    ];
    if (deadReplicas + adopted + hurried > 0) this.logger.log(`recovered from ${deadReplicas} ended processes: ${done.join(', ')}`);
    for (const { conversation, error } of failed)
      this.logger.error(`${conversation}: cannot clean up behind its end, the next start tries again: ${error.message}`);
  }

  private async place(): Promise<number> {
    const changed = await this.database.transaction((tx) => changedPlacements(tx, this.placements));
    let moved = 0;
    for (const placement of changed) moved += await this.repeatedly((tx) => placeConversations(tx, placement));
    return moved;
  }

  private async unpark(): Promise<number> {
    let total = 0;
    for (let after: string | null = BEFORE_ALL; after !== null; ) {
      const from: string = after;
      const { count, last } = await this.database.transaction((tx) => unparkConfigured(tx, from));
      total += count;
      after = last;
    }
    return total;
  }

  /** A transaction a batch, until there is nothing left to do. */
  private async repeatedly(work: (tx: Tx) => Promise<number>): Promise<number> {
    let total = 0;
    for (;;) {
      const count = await this.database.transaction(work);
      if (count === 0) return total;
      total += count;
    }
  }

  /** Claims nothing more and lets turns end, or leaves them to be tried again. Events are still accepted. */
  async drain(): Promise<void> {
    this.current = 'stopping';
    for (const companion of this.companions) await companion.drain?.();
    await this.worker.stop();
  }

  /** Gives the lease back. Nobody may come in any more. */
  async end(): Promise<void> {
    for (const companion of this.companions) await companion.end?.();
    await this.membership.leave();
  }
}
