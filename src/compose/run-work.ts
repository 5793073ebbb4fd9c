import path from 'node:path';
import { RunDispatcher } from '../automations/runs/run-dispatcher.js';
import { RunFailure } from '../automations/runs/run-failure.js';
import { AT_ONCE, type WayOf } from '../automations/runs/ways.js';
import { Uploads } from '../automations/uploads/uploads.js';
import type { Config } from '../config/config.js';
import { surroundingsOf } from '../config/surroundings.js';
import { runtimeOf } from '../core/automations/surroundings.js';
import { RunDesk } from '../core/runs/run-desk.js';
import { RunReports } from '../core/runs/run-reports.js';
import { Signals } from '../core/signals.js';
import { Membership } from '../worker/membership.js';
import { WorkTable } from '../worker/work-table.js';
import type { HostParts } from './host-parts.js';

/** How often runs are looked for without a word; they are told of by signals. */
const POLL_MS = 1000;

/** What begins, watches and ends the runs of automations. */
export function runProviders({ config, database }: HostParts) {
  const { runs, concurrency, maxAttempts, backoff } = config.workers;
  return [
    { provide: Uploads, useFactory: () => new Uploads(database, path.join(config.dataDir, 'uploads'), config.server.uploadLimit) },
    {
      provide: RunDesk,
      inject: [Signals, WorkTable],
      useFactory: (signals: Signals, table: WorkTable) =>
        new RunDesk(database, signals, (org, workspace) => table.placement(org, workspace)),
    },
    {
      provide: RunReports,
      inject: [Signals, RunDesk],
      useFactory: (signals: Signals, desk: RunDesk) => new RunReports(database, signals, desk),
    },
    {
      provide: RunDispatcher,
      inject: [Membership, Signals, RunDesk],
      useFactory: (membership: Membership, signals: Signals, desk: RunDesk) =>
        new RunDispatcher(database, () => membership.owner, signals, desk, waysOf(config), {
          // A process that only accepts begins nothing either.
          concurrency: concurrency === 0 ? 0 : runs.concurrency,
          ...{ readyMs: runs.readyMs, pollMs: POLL_MS, retry: { maxAttempts, backoff } },
        }),
    },
  ];
}

/** By the runtime that the automation names, or that of its workspace, as they are configured now. */
function waysOf(config: Config): WayOf {
  return ({ org, spec }) => {
    const runtime = runtimeOf(spec, surroundingsOf(config, org));
    const named = spec.runtime === null ? `the workspace ${spec.workspace}` : `the runtime ${spec.runtime}`;
    if (runtime === null) throw new RunFailure('unconfigured', `${named} is not in the configuration`);
    if (spec.tarball !== null) throw new RunFailure('unsupported', `${named} has no sandbox that a tarball could run in`);
    return AT_ONCE;
  };
}
