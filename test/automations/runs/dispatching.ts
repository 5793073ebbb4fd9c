import { randomUUID } from 'node:crypto';
import { RunDispatcher } from '../../../src/automations/runs/run-dispatcher.js';
import { AT_ONCE, type WayOf } from '../../../src/automations/runs/ways.js';
import { type ClaimedRun, claimRuns } from '../../../src/core/runs/claim-runs.js';
import { RunDesk } from '../../../src/core/runs/run-desk.js';
import { type RunRow, readRun } from '../../../src/core/runs/run-rows.js';
import { openRun } from '../../../src/core/runs/start-run.js';
import { Automated } from '../../core/admission/automated.js';
import type { Core } from '../../core/core.js';
import { POLICY } from '../../core/core.js';
import { until } from '../../worker/harness.js';

export const READY_MS = 300_000;

/** Runs over the core: by hand, one step at a time, or by a dispatcher. */
export class Dispatching {
  readonly desk: RunDesk;
  private readonly dispatchers: RunDispatcher[] = [];

  private constructor(readonly automated: Automated) {
    const { core } = automated;
    this.desk = new RunDesk(core.database, core.signals, () => null);
  }

  static async over(core: Core): Promise<Dispatching> {
    return new Dispatching(await Automated.over(core));
  }

  get core(): Core {
    return this.automated.core;
  }

  claim(cap = 100, owner = this.core.owner): Promise<ClaimedRun[] | null> {
    return this.core.database.transaction((tx) => claimRuns(tx, { owner, cap, readyMs: READY_MS }));
  }

  open(run: ClaimedRun): Promise<boolean> {
    return this.core.database.transaction((tx) => openRun(tx, run, run.spec.timeout_ms));
  }

  /** The one run that waits is claimed and open. */
  async begin(): Promise<ClaimedRun> {
    const [run, ...others] = (await this.claim()) ?? [];
    if (run === undefined || others.length > 0) throw new Error(`expected one run, got ${run === undefined ? 0 : others.length + 1}`);
    await this.open(run);
    return run;
  }

  async read(id: string): Promise<RunRow> {
    const row = await this.core.database.transaction((tx) => readRun(tx, id));
    if (row === null) throw new Error(`no run ${id}`);
    return row;
  }

  async states(): Promise<string[]> {
    return (await this.core.rows<RunRow>('select * from runs order by created_at, id')).map(({ state }) => state);
  }

  /** Every run has ended. */
  async ended(): Promise<void> {
    await until(async () => (await this.states()).every((state) => !['queued', 'starting', 'running'].includes(state)));
  }

  dispatcher(wayOf: WayOf = () => AT_ONCE, concurrency = 4): RunDispatcher {
    const { core, desk } = this;
    const options = { concurrency, readyMs: READY_MS, pollMs: 20, retry: { ...POLICY, backoff: { firstMs: 1, factor: 1, maxMs: 1 } } };
    const made = new RunDispatcher(core.database, () => core.owner, core.signals, desk, wayOf, options);
    this.dispatchers.push(made);
    made.start();
    return made;
  }

  /** A sandbox as it is stored, of a run that is claimed. */
  async sandbox(run: string): Promise<string> {
    const id = randomUUID();
    await this.core.change('update runs set sandbox = ? where id = ?', id, run);
    await this.core.change(
      `insert into sandboxes (id, org, kind, runtime, run, conversation, state, created_at, updated_at)
       select ?, org, 'local', 'box', id, conversation, 'creating', 1, 1 from runs where id = ?`,
      id,
      run,
    );
    return id;
  }

  async stop(): Promise<void> {
    await Promise.all(this.dispatchers.splice(0).map((each) => each.stop()));
    this.automated.stop();
  }
}
