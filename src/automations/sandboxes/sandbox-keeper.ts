import {
  type Chore,
  type KeptPolicy,
  type SandboxRow,
  sandboxChoreFailed,
  sandboxPaused,
  sandboxRemoved,
  takeChores,
} from '../../core/sandboxes/sandboxes.js';
import { storable } from '../../core/storable.js';
import type { Database } from '../../database/database.js';
import { type KindOf, refOf } from './sandbox-kinds.js';

export interface KeeperOptions extends KeptPolicy {
  /** How long one chore may take; until then no other replica looks at it. */
  readonly workMs: number;
  readonly firstPauseMs: number;
  readonly mostPauseMs: number;
}

export const KEEPER_DEFAULTS: KeeperOptions = {
  ...{ idleMs: 30 * 60_000, keepMs: 7 * 86_400_000 },
  ...{ workMs: 120_000, firstPauseMs: 5_000, mostPauseMs: 600_000 },
};

const AT_ONCE = 8;
const FAILURE_CHARACTERS = 500;

/** Removes sandboxes that nobody needs, as often as it takes, and lets those sleep that nobody uses; on as many replicas as there are. */
export class SandboxKeeper {
  constructor(
    private readonly database: Database,
    private readonly kindOf: KindOf,
    private readonly warn: (message: string) => void,
    private readonly options: KeeperOptions = KEEPER_DEFAULTS,
  ) {}

  /** Does what is due; how much was. */
  async look(signal: AbortSignal): Promise<number> {
    for (let count = 0; ; ) {
      const { workMs } = this.options;
      const chores = await this.database.transaction((tx) => takeChores(tx, this.options, { limit: AT_ONCE, workMs }));
      await Promise.all(chores.map(({ row, chore }) => this.tried(row, chore, signal)));
      count += chores.length;
      if (chores.length < AT_ONCE || signal.aborted) return count;
    }
  }

  private async tried(row: SandboxRow, chore: Chore, signal: AbortSignal): Promise<void> {
    try {
      await this.perform(row, chore, AbortSignal.any([signal, AbortSignal.timeout(this.options.workMs)]));
    } catch (error) {
      await this.failed(row, chore, error as Error);
    }
  }

  private async perform(row: SandboxRow, chore: Chore, signal: AbortSignal): Promise<void> {
    const kind = this.kindOf(row);
    if (kind === null) throw new Error(`its runtime ${row.runtime} is not in the configuration, and nobody else can reach it`);
    if (chore === 'pause') {
      await kind.pause(refOf(row), signal);
      await this.database.transaction((tx) => sandboxPaused(tx, row));
      return;
    }
    await kind.remove(refOf(row), signal);
    await this.database.transaction((tx) => sandboxRemoved(tx, row.id));
  }

  private async failed({ id, attempts }: SandboxRow, chore: Chore, error: Error): Promise<void> {
    const { firstPauseMs, mostPauseMs } = this.options;
    const why = storable(error.message, FAILURE_CHARACTERS);
    this.warn(`sandbox ${id}: ${chore === 'delete' ? 'cannot be removed' : 'does not go to sleep'}, it is tried again: ${why}`);
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(attempts, 20), mostPauseMs);
    await this.database.transaction((tx) => sandboxChoreFailed(tx, id, why, pauseMs));
  }
}
