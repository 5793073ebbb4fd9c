import type { Tx } from '../../database/tx.js';
import { quoted } from '../machine.js';
import type { KnownEffect } from './correlation.js';
import { UNDECIDED, WINDOW } from './effect.js';
import type { EffectRow } from './effects.js';

/** Events, as far as the effects that concern them are to be found. */
export interface Sought {
  readonly scopes: readonly Buffer[];
  readonly keys: readonly string[];
  readonly evidence: readonly Buffer[];
  readonly markers: readonly string[];
  /** No event happened before this instant. */
  readonly since: number;
}

const KNOWN = 'id, state, scope, namespace, key, marker, evidence, executing_at';
type KnownRow = Pick<EffectRow, 'id' | 'state' | 'scope' | 'namespace' | 'key' | 'marker' | 'evidence' | 'executing_at'>;

/**
 * Locks the undecided effects that these events may come of: none of them is decided before the events are. What was decided while
 * the lock was awaited is not among them; `provenEffects`, a statement later, sees it.
 */
export async function lockUndecided(tx: Tx, { scopes, keys, since }: Sought): Promise<KnownEffect[]> {
  const rows = await tx.all<KnownRow>(
    `select ${KNOWN} from effects where scope ${tx.dialect.among('bytea')} and state in (${quoted(UNDECIDED)}) and executing_at >= ?
        and (key is null or key ${tx.dialect.among('text')}) order by id${tx.dialect.forUpdate}`,
    [scopes, since - WINDOW.afterMs, keys],
  );
  return rows.map(toKnown);
}

/** The decided effects whose evidence, or whose id, the events carry. */
export async function provenEffects(tx: Tx, { scopes, evidence, markers }: Sought): Promise<KnownEffect[]> {
  const decided = `state not in (${quoted(UNDECIDED)})`;
  const { among } = tx.dialect;
  const byEvidence = `select ${KNOWN} from effects where scope ${among('bytea')} and evidence ${among('bytea')} and ${decided}`;
  const byMarker = `select ${KNOWN} from effects where marker ${among('text')} and ${decided}`;
  return (await tx.all<KnownRow>(`${byEvidence} union all ${byMarker}`, [scopes, evidence, markers])).map(toKnown);
}

function toKnown({ id, state, scope, namespace, key, marker, evidence, executing_at }: KnownRow): KnownEffect {
  const subject = namespace !== null && key !== null ? { namespace, key } : null;
  return { id, state, scope, subject, marker, evidence, attemptedAt: executing_at ?? 0 };
}
