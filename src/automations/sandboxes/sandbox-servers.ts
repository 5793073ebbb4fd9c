import { setTimeout as delay } from 'node:timers/promises';
import { findStanding, type SandboxRow, sandboxLost, sandboxReady, touchSandbox } from '../../core/sandboxes/sandboxes.js';
import { storable } from '../../core/storable.js';
import type { Database } from '../../database/database.js';
import { ProviderFault } from '../../plugin/index.js';
import type { AgentServerPlace, AgentServers } from '../../runtimes/agent-server/agent-servers.js';
import type { SandboxKind } from './sandbox-kind.js';
import { type KindOf, placeOf, refOf, sealedPlace } from './sandbox-kinds.js';

export interface WakeOptions {
  readonly wakeMs: number;
  readonly pollMs: number;
}

export const WAKE_DEFAULTS: WakeOptions = { wakeMs: 20_000, pollMs: 2_000 };

const REASON_CHARACTERS = 500;

/** The agent servers in sandboxes, each found by the conversation that lives there. */
export class SandboxServers implements AgentServers {
  constructor(
    private readonly database: Database,
    private readonly kindOf: KindOf,
    private readonly encryptionKey: Buffer,
    private readonly options: WakeOptions = WAKE_DEFAULTS,
  ) {}

  /**
   * Null: there is no sandbox, or it was found to be gone, which is stored. One that sleeps is woken. Throws `ProviderFault` where nobody
   * can say now.
   */
  async find(conversation: string, signal: AbortSignal): Promise<AgentServerPlace | null> {
    const row = await this.database.transaction(async (tx) => {
      const found = await findStanding(tx, conversation);
      if (found !== null) await touchSandbox(tx, found.id);
      return found;
    });
    if (row === null) return null;
    const kind = this.kindOf(row);
    if (kind === null) throw new ProviderFault(`the runtime ${row.runtime} of its sandbox is not in the configuration`, 'permanent');
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.options.wakeMs)]);
    try {
      return await this.reach(row, kind, limit);
    } catch (error) {
      signal.throwIfAborted();
      if (!limit.aborted) throw error;
      throw new ProviderFault(`its sandbox did not answer within ${this.options.wakeMs / 1000} s`, 'transient', null, { cause: error });
    }
  }

  private async reach(row: SandboxRow, kind: SandboxKind, signal: AbortSignal): Promise<AgentServerPlace | null> {
    for (;;) {
      const health = await kind.health(refOf(row), signal);
      if (health.state === 'ready') return this.answers(row, health.place);
      if (health.state === 'gone') return this.lost(row, health.reason);
      if (health.state === 'unknown') return this.asStored(row, health.reason);
      if (health.state === 'paused') {
        const place = await kind.resume(refOf(row), signal);
        if (place !== null) return this.answers(row, place);
      }
      await delay(this.options.pollMs, undefined, { signal });
    }
  }

  /** The way to the agent server may be open where that to whoever made it is not. */
  private asStored(row: SandboxRow, reason: string): AgentServerPlace {
    const place = row.state === 'ready' ? placeOf(this.encryptionKey, row) : null;
    if (place === null) throw new ProviderFault(`nobody knows how its sandbox is: ${reason}`, 'transient');
    return place;
  }

  private async answers(row: SandboxRow, place: AgentServerPlace): Promise<AgentServerPlace | null> {
    const known = row.state === 'ready' && row.due_at === null ? placeOf(this.encryptionKey, row) : null;
    if (known?.url === place.url && known.apiKey === place.apiKey) return place;
    const sealed = sealedPlace(this.encryptionKey, row.id, place);
    // It may have been given up meanwhile, and then nothing reaches it any more.
    return (await this.database.transaction((tx) => sandboxReady(tx, row.id, sealed))) ? place : null;
  }

  private async lost(row: SandboxRow, reason: string): Promise<null> {
    await this.database.transaction((tx) => sandboxLost(tx, row.id, storable(reason, REASON_CHARACTERS)));
    return null;
  }
}
