import path from 'node:path';
import type { Admissions } from '../core/admission/admissions.js';
import { announce } from '../core/admission/apply-verdict.js';
import type { Permissions } from '../core/approvals/permissions.js';
import type { Outbound } from '../core/effects/outbound.js';
import type { Signals } from '../core/signals.js';
import type { Database } from '../database/database.js';
import type { Membership } from '../worker/membership.js';
import type { WorkContext } from '../worker/work-on.js';
import type { WorkTable } from '../worker/work-table.js';
import { WorkspaceFolders } from '../worker/workspace-folders.js';
import { Repositories } from '../workspaces/repositories.js';
import type { TurnTools } from './approval-work.js';
import type { ConfiguredProviders } from './configured-providers.js';
import { thisMachine } from './this-process.js';

/** How long a plugin may take for one call under a claim. */
const CALL_MS = 60_000;

/** What working on claims, and on what ends leave to do, needs of the host. */
export function workContext(
  host: { readonly database: Database; readonly dataDir: string; readonly bootId: string; readonly attachmentsKeptMs: number },
  parts: {
    readonly membership: Membership;
    readonly signals: Signals;
    readonly table: WorkTable;
    readonly providers: ConfiguredProviders;
    readonly tools: TurnTools;
    readonly permissions: Permissions;
    readonly admissions: Admissions;
    readonly outbound: Outbound;
  },
): WorkContext {
  const { membership, signals, table, providers, tools, permissions, admissions, outbound } = parts;
  const { database, dataDir, bootId, attachmentsKeptMs } = host;
  return {
    ...{ database, table, providers, bootId, attachmentsKeptMs, callMs: CALL_MS },
    workspacesFolder: path.join(dataDir, 'workspaces'),
    folders: new WorkspaceFolders(new Repositories(path.join(dataDir, 'repositories'))),
    now: () => Date.now() + membership.offsetMs(),
    onActivity: (conversation) => signals.emit('activity', conversation),
    onErrands: () => void signals.emit('errands'),
    onVerdict: (applied) => announce(signals, applied),
    permissions,
    hands: { tell: (notice) => admissions.tell(notice), perform: (write) => outbound.perform(write) },
    toolsOf: (conversation) => tools.of(conversation),
    endProcess: thisMachine.endProcess,
  };
}
