import { first, inChunks, marks, type Tx } from '../../database/tx.js';
import type { EvidenceIds, Subject } from '../../plugin/index.js';
import { type EventOf, quoted } from '../machine.js';
import { type EffectState, effect } from './effect.js';

export interface NewEffect {
  readonly id: string;
  readonly org: string;
  readonly provider: string;
  readonly source: string;
  readonly tool: string;
  readonly account: string;
  readonly kind: string;
  readonly action: string;
  readonly subject: Subject | null;
  readonly scope: Buffer;
  readonly request: Buffer;
  readonly marker: string | null;
  readonly conversation: string;
  readonly owner: number;
}

export interface EffectRow {
  readonly id: string;
  readonly org: string;
  readonly provider: string;
  readonly source: string;
  readonly tool: string;
  readonly account: string;
  readonly kind: string;
  readonly action: string;
  readonly namespace: string | null;
  readonly key: string | null;
  readonly scope: Buffer;
  readonly request: Buffer;
  readonly marker: string | null;
  readonly state: EffectState;
  readonly reason: string | null;
  readonly evidence: Buffer | null;
  /** JSON of `EvidenceIds`. */
  readonly evidence_ids: string | null;
  readonly conversation: string;
  readonly owner: number;
  readonly created_at: number;
  readonly executing_at: number | null;
  readonly resolved_at: number | null;
  readonly resolved_by: string | null;
  readonly resolved_why: string | null;
  readonly next_read_at: number | null;
  readonly reads: number;
}

export async function insertEffect(tx: Tx, e: NewEffect): Promise<void> {
  await tx.run(
    `insert into effects (id, org, provider, source, tool, account, kind, action, namespace, key, scope, request, marker, state, conversation, owner, created_at)
     values (${marks(13)}, 'prepared', ?, ?, ${tx.dialect.now})`,
    [
      ...[e.id, e.org, e.provider, e.source, e.tool, e.account, e.kind, e.action, e.subject?.namespace ?? null, e.subject?.key ?? null],
      ...[e.scope, e.request, e.marker, e.conversation, e.owner],
    ],
  );
}

/** From its commit on, the provider may be asked. False: somebody has given the effect up meanwhile. */
export async function startExecuting(tx: Tx, id: string, owner: number): Promise<boolean> {
  const { to, from } = step('execute');
  const changed = await tx.run(
    `update effects set state = ${to}, executing_at = ${tx.dialect.now} where id = ? and owner = ? and state in (${from})`,
    [id, owner],
  );
  return changed === 1;
}

/** Holds the effect until the transaction ends; locks of effects come before all others. */
export async function lockEffect(tx: Tx, id: string): Promise<EffectRow | null> {
  return first(tx, `select * from effects where id = ?${tx.dialect.forUpdate}`, [id]);
}

/** As it is now, whoever changes it next. */
export async function readEffectRow(tx: Tx, id: string): Promise<EffectRow | null> {
  return first(tx, 'select * from effects where id = ?', [id]);
}

export interface EffectEnd {
  readonly event: 'confirm' | 'refuse' | 'disprove' | 'abandon';
  readonly reason: string | null;
  readonly proof: { readonly hash: Buffer; readonly ids: EvidenceIds } | null;
  readonly subject: Subject | null;
  readonly by: string;
  readonly why: string;
}

/** Ends an effect that this transaction has locked. */
export async function saveEnd(tx: Tx, id: string, { event, reason, proof, subject, by, why }: EffectEnd): Promise<void> {
  const { to, from } = step(event);
  await tx.run(
    `update effects set state = ${to}, reason = ?, evidence = ?, evidence_ids = ?, namespace = coalesce(namespace, ?), key = coalesce(key, ?),
       resolved_at = ${tx.dialect.now}, resolved_by = ?, resolved_why = ?, next_read_at = null where id = ? and state in (${from})`,
    [reason, proof?.hash ?? null, proof ? JSON.stringify(proof.ids) : null, subject?.namespace ?? null, subject?.key ?? null, by, why, id],
  );
}

/** What is proved of an effect that was settled otherwise: its state is final, but its callbacks are known from now on. */
export async function saveLateProof(
  tx: Tx,
  id: string,
  proof: { readonly hash: Buffer; readonly ids: EvidenceIds },
  why: string,
): Promise<void> {
  await tx.run('update effects set evidence = ?, evidence_ids = ?, resolved_why = ? where id = ? and evidence is null', [
    proof.hash,
    JSON.stringify(proof.ids),
    why,
    id,
  ]);
}

/** Nobody knows what became of it; the provider is asked first after this time. */
export async function markUnknown(tx: Tx, id: string, firstReadMs: number): Promise<number> {
  const { to, from } = step('lose');
  return tx.run(`update effects set state = ${to}, next_read_at = ${tx.dialect.now} + ? where id = ? and state in (${from})`, [
    firstReadMs,
    id,
  ]);
}

/** It surely never reached the provider. */
export async function markNeverSent(tx: Tx, id: string): Promise<number> {
  const { to, from } = step('abandon');
  return tx.run(
    `update effects set state = ${to}, reason = 'never_sent', resolved_at = ${tx.dialect.now}, resolved_by = 'recovery',
       resolved_why = 'its process ended before it was sent' where id = ? and state in (${from})`,
    [id],
  );
}

/** What these owners were about to do or were doing. */
export async function unfinishedEffectsOf(tx: Tx, owners: readonly number[]): Promise<string[]> {
  if (owners.length === 0) return [];
  const rows = await tx.all<{ id: string }>(
    `select id from effects where state in ('prepared', 'executing') and owner in (${marks(owners.length)}) order by id`,
    owners,
  );
  return rows.map(({ id }) => id);
}

/** Takes the unknown effect that has waited longest to be read back; until then nobody else does. */
export async function takeUnread(tx: Tx, againMs: number): Promise<EffectRow | null> {
  const row = await first<EffectRow>(
    tx,
    `select * from effects where next_read_at <= ${tx.dialect.now} order by next_read_at limit 1${tx.dialect.forUpdateSkipLocked}`,
  );
  if (row) await readAgain(tx, row.id, againMs, row.reads + 1);
  return row;
}

export async function readAgain(tx: Tx, id: string, afterMs: number, reads: number): Promise<void> {
  await tx.run(`update effects set next_read_at = ${tx.dialect.now} + ?, reads = ? where id = ? and next_read_at is not null`, [
    afterMs,
    reads,
    id,
  ]);
}

/** When the next one is due, in milliseconds from now; null: there is none. */
export async function nextReadIn(tx: Tx): Promise<number | null> {
  const row = await first<{ wait: number | null }>(
    tx,
    `select min(next_read_at) - ${tx.dialect.now} as wait from effects where next_read_at is not null`,
  );
  return row?.wait ?? null;
}

/** Deletes ends that are older than that and that no held event waits for. Unknown ones are never old. Resolves to how many. */
export async function pruneEffects(tx: Tx, olderThanMs: number, limit: number): Promise<number> {
  const rows = await tx.all<{ id: string }>(
    `select id from effects e where resolved_at <= ${tx.dialect.now} - ?
       and not exists (select 1 from effect_candidates c where c.effect = e.id) order by id limit ?`,
    [olderThanMs, limit],
  );
  for (const part of inChunks(rows, 1))
    await tx.run(
      `delete from effects where resolved_at is not null and id in (${marks(part.length)})`,
      part.map(({ id }) => id),
    );
  return rows.length;
}

/** Parts of a statement that makes a step: what it writes, and where it is legal. */
function step(event: EventOf<typeof effect.table>): { to: string; from: string } {
  return { to: quoted([effect.target(event)]), from: quoted(effect.sources(event)) };
}
