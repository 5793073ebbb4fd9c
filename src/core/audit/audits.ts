import type { Tx } from '../../database/tx.js';
import { type Found, findSlice, type Slice, Where } from '../listing.js';
import { pruneByAge } from '../prune-by-age.js';

/** One thing that somebody did, or tried to do, through the API. */
export interface AuditEntry {
  readonly org: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  /** JSON, without texts of messages and without secrets. */
  readonly detail: string;
}

export interface AuditRow extends AuditEntry {
  readonly id: number;
  readonly at: number;
}

export type AuditPosition = readonly [id: number];

export async function insertAudit(tx: Tx, { org, actor, action, target, detail }: AuditEntry): Promise<void> {
  await tx.run(`insert into audit (org, at, actor, action, target, detail) values (?, ${tx.dialect.now}, ?, ?, ?, ?)`, [
    org,
    actor,
    action,
    target,
    detail,
  ]);
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
}

export async function listAudit(
  tx: Tx,
  org: string,
  filter: AuditFilter,
  slice: Slice<AuditPosition>,
): Promise<Found<AuditRow, AuditPosition>> {
  const where = new Where()
    .and('org = ?', org)
    .filter('actor = ?', filter.actor)
    .filter('action = ?', filter.action)
    .filter('target = ?', filter.target);
  if (slice.after) where.and('id < ?', ...slice.after);
  const select = 'select id, org, at, actor, action, target, detail from audit';
  return findSlice(tx, { select, where, order: 'id desc' }, slice, (row: AuditRow) => [row.id]);
}

export function pruneAudit(tx: Tx, olderThan: number, limit: number): Promise<{ count: number; isDone: boolean }> {
  return pruneByAge(tx, { table: 'audit', at: 'at' }, olderThan, limit);
}
