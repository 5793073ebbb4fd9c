import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { admitEarly } from '../../src/core/admission/admit-early.js';
import { announce } from '../../src/core/admission/apply-verdict.js';
import { ApprovalDesk } from '../../src/core/approvals/approval-desk.js';
import { Permissions } from '../../src/core/approvals/permissions.js';
import { type Decisions, NO_DECISIONS } from '../../src/core/controls/decisions.js';
import { NO_RULES } from '../../src/core/limits/rules.js';
import { Operations } from '../../src/core/operations.js';
import type { RecoverySummary } from '../../src/core/recovery/recover.js';
import type { ReplicaIdentity } from '../../src/core/replicas/replicas.js';
import type { Route } from '../../src/core/routing/route.js';
import { Signals } from '../../src/core/signals.js';
import type { Database } from '../../src/database/database.js';
import type { Connection, ControlChannel } from '../../src/plugin/index.js';
import { cleanupKinds, type JobKinds } from '../../src/worker/cleanup/job-kinds.js';
import { JobRunner } from '../../src/worker/cleanup/job-runner.js';
import { Actions } from '../../src/worker/controls/actions.js';
import type { Channels } from '../../src/worker/controls/channels.js';
import { type ErrandOptions, ErrandRunner } from '../../src/worker/controls/errand-runner.js';
import { type LeaseTimes, Membership } from '../../src/worker/membership.js';
import type { ConnectedProvider } from '../../src/worker/providers.js';
import type { WorkContext } from '../../src/worker/work-on.js';
import { type Workspace, WorkTable } from '../../src/worker/work-table.js';
import { Worker, type WorkerOptions } from '../../src/worker/worker.js';
import { WorkspaceFolders } from '../../src/worker/workspace-folders.js';
import { Repositories } from '../../src/workspaces/repositories.js';
import { type Core, POLICY, replica } from '../core/core.js';
import { StagedRuntime } from './staged.runtime.js';

// What these tests bring about on purpose is not to be read as faults of the run.
Logger.overrideLogger(false);

const KEY = Buffer.alloc(32, 7);
const DAY = 86_400_000;
/** No test of the order of things is to depend on how fast it runs. */
const EARLY_MS = 60_000;

export interface BenchOptions extends Partial<WorkerOptions>, Partial<LeaseTimes> {
  readonly self?: ReplicaIdentity;
  readonly workspaces?: readonly Partial<Workspace>[];
  readonly database?: Database;
  /** What stands behind every connection. */
  readonly provider?: ConnectedProvider['provider'];
  readonly isConfigured?: (source: string) => boolean;
  readonly callMs?: number;
  /** How long a turn waits for a person. */
  readonly approvalWaitMs?: number;
  readonly kinds?: JobKinds;
  /** The channel of every connection, in which workspaces with a control are shown. */
  readonly channel?: ControlChannel;
  readonly decisions?: Decisions;
  readonly errands?: Partial<ErrandOptions>;
  readonly endProcess?: (pid: number, started: string) => Promise<void>;
}

function connectionNamed(org: string, name: string): Connection {
  return { org, name, source: 'public', secrets: [], options: {} };
}

/** A replica as the server assembles it, on a runtime whose turns the test drives. */
export class Bench {
  readonly runtime = new StagedRuntime();
  readonly signals: Signals;
  readonly membership: Membership;
  readonly worker: Worker;
  readonly jobs: JobRunner;
  readonly errands: ErrandRunner;
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'throughline-worker-'));

  constructor(core: Core, routes: readonly Route[], options: BenchOptions = {}) {
    const {
      self = replica('worker', { pid: 777 }),
      workspaces = [{}],
      database = core.database,
      leaseMs = 60_000,
      heartbeatMs = 20_000,
      provider = {},
      isConfigured = () => true,
      callMs = 60_000,
      kinds = {},
      endProcess = async () => undefined,
      channel,
      decisions = NO_DECISIONS,
      errands = {},
      approvalWaitMs = 60_000,
      ...limits
    } = options;
    this.signals = options.database ? new Signals() : core.signals;
    const machine = { isRunning: async () => true, endProcess };
    this.membership = new Membership(database, self, { leaseMs, heartbeatMs }, machine, this.signals);
    const named = workspaces.map((change) => ({
      ...{
        name: 'main',
        org: 'default',
        runtime: this.runtime,
        instructions: null,
        directory: null,
        isolate: false,
        repository: null,
        concurrency: null,
        rules: NO_RULES,
      },
      ...change,
      ...(channel && { control: { connection: 'chat', parent: 'C1', limits: channel.limits, ...change.control } }),
    }));
    const context: WorkContext = {
      ...{
        database,
        table: new WorkTable(named, routes),
        workspacesFolder: this.folder,
        bootId: self.bootId,
        callMs,
        attachmentsKeptMs: DAY,
      },
      providers: { find: (org, source) => (isConfigured(source) ? { connection: connectionNamed(org, source), provider } : null) },
      folders: new WorkspaceFolders(new Repositories(path.join(this.folder, 'repositories'))),
      onErrands: () => void this.signals.emit('errands'),
      onVerdict: (applied) => announce(this.signals, applied),
      endProcess,
      now: () => Date.now() + this.membership.offsetMs(),
      toolsOf: () => null,
      permissions: new Permissions(database, new ApprovalDesk(database, this.signals, KEY, { expiresMs: DAY }), KEY, {
        waitMs: approvalWaitMs,
        expiresMs: DAY,
      }),
      onActivity: (conversation: string) => void this.signals.emit('activity', conversation),
    };
    const defaults = { concurrency: 8, perWorkspace: null, perOrg: null, retry: POLICY, graceMs: 100, pollMs: 50 };
    this.worker = new Worker(database, this.membership, this.signals, context, { ...defaults, ...limits });
    const { retry, pollMs } = { ...defaults, ...limits };
    this.jobs = new JobRunner(
      database,
      () => this.membership.owner,
      this.signals,
      { ...cleanupKinds(context), ...kinds },
      { concurrency: 4, pollMs, callMs, retry },
    );
    const channels: Channels = {
      channel: (org, name) => (channel && isConfigured(name) ? { connection: connectionNamed(org, name), control: channel } : null),
    };
    const operations = new Operations(database, this.signals);
    const carrier = new Actions(database, operations, this.signals, channels, decisions);
    this.errands = new ErrandRunner(
      database,
      () => this.membership.owner,
      this.signals,
      { channels, carrier, admitEarly: () => admitEarly(database, core.admissions, EARLY_MS) },
      {
        ...{ concurrency: 8, pollMs, callMs: 5000, graceMs: 1000 },
        ...errands,
      },
    );
  }

  async start(): Promise<RecoverySummary> {
    const summary = await this.membership.join();
    this.worker.start();
    this.jobs.start();
    this.errands.start();
    return summary;
  }

  async stop(): Promise<void> {
    await Promise.all([this.worker.stop(), this.jobs.stop()]);
    await this.errands.stop();
    await this.membership.leave();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits for what other promises bring about; the test's own time limit ends it. */
export async function until(check: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await check())) await delay(10);
}
