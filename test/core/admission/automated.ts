import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { type Dispatched, type DispatchRequest, dispatchAutomation } from '../../../src/automations/triggers/dispatch-automation.js';
import { TriggerRegistry } from '../../../src/automations/triggers/trigger-registry.js';
import type { AutomationState } from '../../../src/core/automations/automation.js';
import { findAutomation, insertAutomation, switchOff, updateAutomation } from '../../../src/core/automations/automations.js';
import type { Route } from '../../../src/core/routing/route.js';
import { endRun } from '../../../src/core/runs/end-run.js';
import type { RunEnd } from '../../../src/core/runs/run-end.js';
import { readRun } from '../../../src/core/runs/run-rows.js';
import { openRun } from '../../../src/core/runs/start-run.js';
import type { Signals } from '../../../src/core/signals.js';
import { AROUND, spec, TRIGGER } from '../automations/specs.js';
import type { Core } from '../core.js';

export interface RunRow {
  readonly id: string;
  readonly automation: string;
  readonly version: number;
  readonly generation: number;
  readonly conversation: string;
  readonly sequence: number | null;
  readonly subject: string | null;
  readonly no_subject: string | null;
  readonly cause: string;
  readonly receipt: number;
  readonly slot: number | null;
  readonly state: string;
  readonly error: string | null;
  readonly inputs: string | null;
  readonly ended_at: number | null;
}

/** An event trigger that takes the events of `builders`. */
export function trigger(change: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { ...TRIGGER, on: ['*'], ...change };
}

/** Automations over the core, in one process of their own. */
export class Automated {
  private constructor(
    readonly core: Core,
    readonly registry: TriggerRegistry,
    private readonly signals: Signals,
  ) {}

  static async over(shared: Core, ...routes: readonly Route[]): Promise<Automated> {
    const registry = new TriggerRegistry(
      shared.database,
      shared.signals,
      { aroundOf: () => AROUND, trustOf: () => 'untrusted' },
      {
        unreadable: (automation, reason) => expect([automation, reason]).toBe('readable'),
        failed: (reason) => expect(reason).toBe('read'),
      },
    );
    await registry.start(3_600_000);
    return new Automated(shared.listening(registry, ...routes), registry, shared.signals);
  }

  async make(change: Readonly<Record<string, unknown>> = {}, state: AutomationState = 'enabled', org = 'default'): Promise<string> {
    const id = randomUUID();
    const written = spec({ name: `automation ${id}`, triggers: [trigger()], ...change });
    const made = { id, org, origin: 'api', state, spec: written, agent: 'helper (echo)', owner: 'ada', disabled: null } as const;
    await this.core.database.transaction((tx) => insertAutomation(tx, made));
    this.signals.emit('automations');
    return id;
  }

  /** The next version of it, and of another generation where that is said. */
  async change(id: string, change: Readonly<Record<string, unknown>>, generation?: number): Promise<void> {
    await this.core.database.transaction(async (tx) => {
      const found = await findAutomation(tx, id);
      if (found === null) throw new Error(`no automation ${id}`);
      const next = spec({ name: found.name, triggers: [trigger()], ...change });
      await updateAutomation(tx, found, { spec: next, agent: 'other', generation: generation ?? found.generation, by: 'ada' });
    });
  }

  /** Another process has done it: this one has not heard of it. */
  async switchOffElsewhere(id: string): Promise<void> {
    await this.core.database.transaction((tx) => switchOff(tx, id, { reason: 'manual', detail: null }));
  }

  heard(): Promise<void> {
    return this.registry.refresh();
  }

  dispatch(automation: string, change: Partial<DispatchRequest> = {}): Promise<Dispatched> {
    const why = { cause: 'api', key: null, inputs: null } as const;
    return dispatchAutomation(this.core, { org: 'default', automation, by: 'ada', why, ...change });
  }

  runs(): Promise<RunRow[]> {
    return this.core.rows<RunRow>('select * from runs order by receipt, id');
  }

  /** What the dispatcher does: its conversation is open. */
  async open(run: string): Promise<void> {
    await this.core.database.transaction(async (tx) => {
      const row = await readRun(tx, run);
      if (row?.state !== 'queued') return;
      await tx.run("update runs set state = 'starting', started_at = 1 where id = ? and state = 'queued'", [run]);
      await openRun(tx, { id: run, token: row.token }, 600_000);
    });
  }

  async end(run: string, how: RunEnd['how'] = 'complete'): Promise<void> {
    if (how === 'complete') await this.open(run);
    const error = how === 'complete' ? null : how;
    await this.core.database.transaction((tx) => endRun(tx, { run, how, token: null, error, detail: null }));
  }

  stop(): void {
    this.registry.stop();
  }
}
