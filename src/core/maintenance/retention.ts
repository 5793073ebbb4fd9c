import type { Database } from '../../database/database.js';
import type { Tx } from '../../database/tx.js';
import { pruneApprovals } from '../approvals/approvals.js';
import { pruneAudit } from '../audit/audits.js';
import { pruneErrands } from '../controls/errands.js';
import { pruneNotes } from '../conversations/notes.js';
import { pruneEffects } from '../effects/effects.js';
import { pruneKeys } from '../idempotency/idempotency-keys.js';
import { pruneJobs } from '../jobs/prune-jobs.js';
import { type Pruned, pruneKeptPayloads, prunePayloads, pruneReceipts } from '../receipts/prune-receipts.js';
import { pruneRuns } from '../runs/list-runs.js';
import { pruneTurns } from '../turns/prune-turns.js';
import { saveSweep, takeSweep } from './sweeps.js';

/** For how long each kind of thing is kept, in milliseconds by the database's clock. */
export interface RetentionPolicy {
  readonly payloadsMs: number;
  readonly receiptsMs: number;
  readonly transcriptsMs: number;
  readonly effectsMs: number;
  readonly auditMs: number;
}

export type PrunedKind = (typeof KINDS)[number]['kind'];

type Prune = (tx: Tx, olderThan: number, after: number, limit: number, keptForMs: number) => Promise<Pruned>;

/** Where rows leave as they are pruned, each batch begins with the oldest that is left. */
const fromTheOldest =
  (prune: (tx: Tx, olderThan: number, limit: number) => Promise<Omit<Pruned, 'position'>>): Prune =>
  async (tx, olderThan, _after, limit) => ({ ...(await prune(tx, olderThan, limit)), position: 0 });

/** An effect of which nobody knows what came of it never grows old. */
async function pruneEndedEffects(tx: Tx, _olderThan: number, _after: number, limit: number, keptForMs: number): Promise<Pruned> {
  const count = await pruneEffects(tx, keptForMs, limit);
  return { count, position: 0, isDone: count < limit };
}

const KINDS = [
  { kind: 'payloads', keptFor: 'payloadsMs', prune: prunePayloads },
  { kind: 'kept_payloads', keptFor: 'payloadsMs', prune: pruneKeptPayloads },
  { kind: 'receipts', keptFor: 'receiptsMs', prune: pruneReceipts },
  { kind: 'notes', keptFor: 'receiptsMs', prune: fromTheOldest(pruneNotes) },
  { kind: 'jobs', keptFor: 'receiptsMs', prune: fromTheOldest(pruneJobs) },
  { kind: 'approvals', keptFor: 'receiptsMs', prune: fromTheOldest(pruneApprovals) },
  { kind: 'idempotency_keys', keptFor: 'receiptsMs', prune: fromTheOldest(pruneKeys) },
  { kind: 'turns', keptFor: 'transcriptsMs', prune: fromTheOldest(pruneTurns) },
  { kind: 'runs', keptFor: 'transcriptsMs', prune: fromTheOldest(pruneRuns) },
  { kind: 'errands', keptFor: 'transcriptsMs', prune: fromTheOldest(pruneErrands) },
  { kind: 'effects', keptFor: 'effectsMs', prune: pruneEndedEffects },
  { kind: 'audit', keptFor: 'auditMs', prune: fromTheOldest(pruneAudit) },
] as const satisfies readonly { kind: string; keptFor: keyof RetentionPolicy; prune: Prune }[];

/** So many rows a transaction: few enough that nobody waits for it. */
const BATCH = 500;

/** When all that was old enough is gone, the kind is looked at again after this time, by whichever replica comes first. */
export const PRUNE_EVERY_MS = 60_000;

export interface PruneRun {
  readonly signal: AbortSignal;
  /** After the commit of a batch. */
  readonly onPruned: (kind: PrunedKind, count: number) => void;
  /** Between two batches. */
  readonly pause: () => Promise<unknown>;
}

/** Prunes what has outlived its time, kind by kind, a small transaction at a time. Resolves to how much went. */
export async function pruneExpired(
  database: Database,
  policy: RetentionPolicy,
  { signal, onPruned, pause }: PruneRun,
): Promise<Map<PrunedKind, number>> {
  const pruned = new Map<PrunedKind, number>();
  for (const { kind, keptFor, prune } of KINDS) {
    while (!signal.aborted) {
      const batch = await database.transaction((tx) => pruneBatch(tx, kind, policy[keptFor], prune));
      if (batch === null) break;
      if (batch.count > 0) {
        pruned.set(kind, (pruned.get(kind) ?? 0) + batch.count);
        onPruned(kind, batch.count);
      }
      if (batch.isDone) break;
      await pause();
    }
  }
  return pruned;
}

async function pruneBatch(tx: Tx, kind: string, keptForMs: number, prune: Prune): Promise<Pruned | null> {
  const sweep = await takeSweep(tx, kind);
  if (sweep === null) return null;
  const batch = await prune(tx, sweep.now - keptForMs, sweep.position, BATCH, keptForMs);
  const nextAt = batch.isDone ? sweep.now + PRUNE_EVERY_MS : sweep.now;
  await saveSweep(tx, kind, { position: batch.position, nextAt, pruned: batch.count });
  return batch;
}
