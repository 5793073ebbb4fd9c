import type { Columns, Insertion, Tx } from '../../database/tx.js';
import type { Landmark, Subject } from '../../plugin/index.js';
import type { Lifetime } from '../conversations/conversation.js';

export interface SubjectKey extends Subject {
  readonly org: string;
}

export interface SubjectRow extends SubjectKey, Lifetime {
  /** The subject whose conversations are this one's too; both null: it has its own. */
  readonly alias_namespace: string | null;
  readonly alias_key: string | null;
  /** 1: messages about it were changed before they arrived. */
  readonly early_changes: number;
}

/** One text per subject, for maps. */
export function subjectText({ org, namespace, key }: SubjectKey): string {
  return JSON.stringify([org, namespace, key]);
}

const KEY = { org: 'text', namespace: 'text', key: 'text' } as const satisfies Columns;
const SUBJECTS: Insertion = { table: 'subjects', columns: KEY, ending: 'on conflict do nothing' };

/** Locks the subjects, those never seen before too, always in one order, and tells how their lives went so far. */
export async function lockSubjects(tx: Tx, subjects: readonly SubjectKey[]): Promise<SubjectRow[]> {
  if (subjects.length === 0) return [];
  const keys = [...subjects].sort(compare).map(({ org, namespace, key }) => [org, namespace, key]);
  const { sql, values } = tx.dialect.given('g', KEY, keys);
  const [, locked] = await Promise.all([
    tx.insert(SUBJECTS, keys),
    tx.all<SubjectRow>(
      `select org, namespace, key, state, reason, revision, strength, alias_namespace, alias_key, early_changes from subjects
        where (org, namespace, key) in (select org, namespace, key from ${sql}) order by org, namespace, key${tx.dialect.forUpdate}`,
      values,
    ),
  ]);
  return locked;
}

export async function saveSubjects(tx: Tx, subjects: readonly (SubjectKey & Lifetime)[]): Promise<void> {
  for (const s of subjects)
    await tx.run(
      `update subjects set state = ?, reason = ?, revision = ?, strength = ?, changed_at = ${tx.dialect.now} where org = ? and namespace = ? and key = ?`,
      [s.state, s.reason, s.revision, s.strength, s.org, s.namespace, s.key],
    );
}

/** Where a subject stands, or that it stands nowhere any more. The subject is locked by the caller. */
export async function saveLandmark(tx: Tx, { org, namespace, key }: SubjectKey, landmark: string | null): Promise<void> {
  await tx.run(`update subjects set landmark = ? where org = ? and namespace = ? and key = ? and coalesce(landmark, '') <> ?`, [
    ...[landmark, org, namespace, key, landmark ?? ''],
  ]);
}

/** The open subject that stands there; null: none, or several. */
export async function subjectAt(tx: Tx, org: string, { namespace, name }: Landmark): Promise<Subject | null> {
  const [found, ...others] = await tx.all<Subject>(
    `select namespace, key from subjects where org = ? and namespace = ? and landmark = ? and state = 'open' limit 2`,
    [org, namespace, name],
  );
  return found === undefined || others.length > 0 ? null : found;
}

/** Both subjects are locked by the caller. Whatever was an alias of the one is an alias of the other from now on: no alias leads to an alias. */
export async function bindAlias(tx: Tx, alias: SubjectKey, to: Subject, by: string): Promise<void> {
  const set = `update subjects set alias_namespace = ?, alias_key = ?, alias_by = ?, alias_at = ${tx.dialect.now}`;
  const values = [to.namespace, to.key, by];
  await tx.run(`${set} where org = ? and namespace = ? and key = ?`, [...values, alias.org, alias.namespace, alias.key]);
  await tx.run(`${set} where org = ? and alias_namespace = ? and alias_key = ?`, [...values, alias.org, alias.namespace, alias.key]);
}

/** False: it is no alias of that subject. */
export async function removeAlias(tx: Tx, alias: SubjectKey, of: Subject): Promise<boolean> {
  const changed = await tx.run(
    `update subjects set alias_namespace = null, alias_key = null, alias_by = null, alias_at = null
      where org = ? and namespace = ? and key = ? and alias_namespace = ? and alias_key = ?`,
    [alias.org, alias.namespace, alias.key, of.namespace, of.key],
  );
  return changed === 1;
}

/** The subject itself; or, where it has ended, its alias at the same provider that is open: the one that was bound last. */
export async function livesOnAs(tx: Tx, { org, namespace, key }: SubjectKey): Promise<Subject> {
  const aliases = await tx.all<Subject>(
    `select a.namespace, a.key from subjects s
       join subjects a on a.org = s.org and a.alias_namespace = s.namespace and a.alias_key = s.key and a.state = 'open'
      where s.org = ? and s.namespace = ? and s.key = ? and s.state = 'terminal' order by a.alias_at desc, a.namespace, a.key`,
    [org, namespace, key],
  );
  const [provider] = namespace.split(':');
  return aliases.find((alias) => alias.namespace.split(':')[0] === provider) ?? { namespace, key };
}

export interface AliasRow extends Subject {
  readonly alias_by: string;
  readonly alias_at: number;
}

export async function aliasesOf(tx: Tx, { org, namespace, key }: SubjectKey): Promise<AliasRow[]> {
  return tx.all(
    `select namespace, key, alias_by, alias_at from subjects where org = ? and alias_namespace = ? and alias_key = ?
      order by alias_at, namespace, key`,
    [org, namespace, key],
  );
}

function compare(a: SubjectKey, b: SubjectKey): number {
  return bytewise(a.org, b.org) || bytewise(a.namespace, b.namespace) || bytewise(a.key, b.key);
}

function bytewise(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
