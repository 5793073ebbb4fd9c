import { inTerms, type Tx, tuples } from '../../database/tx.js';
import type { Subject } from '../../plugin/index.js';
import type { Lifetime } from '../conversations/conversation.js';

export interface SubjectKey extends Subject {
  readonly org: string;
}

export interface SubjectRow extends SubjectKey, Lifetime {}

/** One text per subject, for maps. */
export function subjectText({ org, namespace, key }: SubjectKey): string {
  return JSON.stringify([org, namespace, key]);
}

/** Locks the subjects, those never seen before too, always in one order, and tells how their lives went so far. */
export async function lockSubjects(tx: Tx, subjects: readonly SubjectKey[]): Promise<SubjectRow[]> {
  const locked: SubjectRow[] = [];
  for (const part of inTerms([...subjects].sort(compare))) locked.push(...(await lockPart(tx, part)));
  return locked;
}

async function lockPart(tx: Tx, sorted: readonly SubjectKey[]): Promise<SubjectRow[]> {
  const keys = sorted.flatMap(({ org, namespace, key }) => [org, namespace, key]);
  await tx.run(`insert into subjects (org, namespace, key) values ${tuples(sorted.length, 3)} on conflict do nothing`, keys);
  const each = sorted.map(() => '(org = ? and namespace = ? and key = ?)').join(' or ');
  return tx.all(
    `select org, namespace, key, state, reason, revision, strength from subjects where ${each} order by org, namespace, key${tx.dialect.forUpdate}`,
    keys,
  );
}

export async function saveSubjects(tx: Tx, subjects: readonly SubjectRow[]): Promise<void> {
  for (const s of subjects)
    await tx.run(
      `update subjects set state = ?, reason = ?, revision = ?, strength = ?, changed_at = ${tx.dialect.now} where org = ? and namespace = ? and key = ?`,
      [s.state, s.reason, s.revision, s.strength, s.org, s.namespace, s.key],
    );
}

function compare(a: SubjectKey, b: SubjectKey): number {
  return bytewise(a.org, b.org) || bytewise(a.namespace, b.namespace) || bytewise(a.key, b.key);
}

function bytewise(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
