import { Admissions } from '../core/admission/admissions.js';
import { admitEarly } from '../core/admission/admit-early.js';
import type { Decisions } from '../core/controls/decisions.js';
import { Reconciliation } from '../core/controls/reconciliation.js';
import { Operations } from '../core/operations.js';
import { Signals } from '../core/signals.js';
import type { Database } from '../database/database.js';
import { Actions } from '../worker/controls/actions.js';
import { ErrandRunner } from '../worker/controls/errand-runner.js';
import { Membership } from '../worker/membership.js';
import { WorkTable } from '../worker/work-table.js';
import { ConfiguredProviders } from './configured-providers.js';

/** An event is acknowledged within three seconds, also where another process accepted it and nobody told this one. */
const POLL_MS = 1000;
const ERRANDS_AT_ONCE = 32;
const CALL_MS = 15_000;

interface ControlParts {
  readonly database: Database;
  readonly config: { readonly workers: { readonly graceMs: number } };
}

/** Who decides about approvals. */
export const DECISIONS = Symbol('Decisions');

/** What this process does at channels, and for people there. */
export function controlProviders({ database, config }: ControlParts) {
  return [
    {
      provide: Reconciliation,
      inject: [Signals, WorkTable],
      useFactory: (signals: Signals, table: WorkTable) =>
        new Reconciliation(database, signals, (org, workspace) => table.placement(org, workspace)),
    },
    {
      provide: ErrandRunner,
      inject: [Membership, Signals, ConfiguredProviders, Operations, DECISIONS, Admissions],
      useFactory: (
        membership: Membership,
        signals: Signals,
        channels: ConfiguredProviders,
        operations: Operations,
        decisions: Decisions,
        admissions: Admissions,
      ) => {
        const carrier = new Actions(database, operations, signals, channels, decisions);
        const options = { concurrency: ERRANDS_AT_ONCE, pollMs: POLL_MS, callMs: CALL_MS, graceMs: config.workers.graceMs };
        const parts = { channels, carrier, admitEarly: () => admitEarly(database, admissions) };
        return new ErrandRunner(database, () => membership.owner, signals, parts, options);
      },
    },
  ];
}
